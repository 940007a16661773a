#include "benches/traces/tables/gemms.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "benches/traces/events/element_types.hpp"
#include "benches/traces/events/gemm_shape.hpp"
#include "benches/traces/tables/intervals.hpp"

namespace kernbench::traces {
namespace {

/// Events of one call, by start.
GemmCall call_of(const RankTrace& trace, TraceId op, const std::vector<TraceId>& events) {
  GemmCall call{op, events.front(), trace.gpu_events[events.front()].start, 0, 0};
  std::vector<Interval> times;
  const auto worth = [&trace](TraceId id) {
    const GpuEvent& event = trace.gpu_events[id];
    return std::pair(event.kind == GpuEventKind::kKernel, event.duration);
  };
  for (const TraceId id : events) {
    const GpuEvent& event = trace.gpu_events[id];
    times.push_back({event.start, event.end()});
    call.end = std::max(call.end, event.end());
    if (worth(id) > worth(call.kernel)) call.kernel = id;
  }
  call.time = length_of(union_of(std::move(times)));
  return call;
}

/// Calls of operators, by start, and after them kernels alone, by start.
std::vector<GemmCall> calls_of(const RankTrace& trace, const TraceSelection& selection) {
  std::vector<TraceId> events = selected_events(trace, selection);
  std::ranges::stable_sort(events, {}, [&trace](TraceId id) { return trace.gpu_events[id].gemm_op; });
  std::vector<GemmCall> calls;
  std::vector<TraceId> of_call;
  auto next = events.begin();
  while (next != events.end() && trace.gpu_events[*next].gemm_op != kNoId) {
    const TraceId op = trace.gpu_events[*next].gemm_op;
    of_call.clear();
    for (; next != events.end() && trace.gpu_events[*next].gemm_op == op; ++next) of_call.push_back(*next);
    calls.push_back(call_of(trace, op, of_call));
  }
  std::ranges::stable_sort(calls, {}, &GemmCall::start);
  std::for_each(next, events.end(), [&](TraceId id) {
    if (trace.gpu_events[id].is_gemm) calls.push_back(call_of(trace, kNoId, {id}));
  });
  return calls;
}

void name_kernel(GemmGroup& group, const RankTrace& trace) {
  std::map<TraceId, std::int64_t> counts;
  for (const GemmCall& call : group.calls) ++counts[trace.gpu_events[call.kernel].name];
  group.kernels_distinct = static_cast<std::int64_t>(counts.size());
  const auto count_of = [&](const GemmCall& call) { return counts[trace.gpu_events[call.kernel].name]; };
  const auto most = std::ranges::max_element(group.calls, {}, count_of);
  group.kernel = trace.name(trace.gpu_events[most->kernel].name);
}

}  // namespace

std::int64_t flops_of(const GemmShape& shape) {
  if (!are_types_known(shape)) return 0;
  const std::int64_t a = is_complex(shape.dtype_a) ? 2 : 1;
  const std::int64_t b = is_complex(shape.dtype_b) ? 2 : 1;
  const std::int64_t additions = shape.added > 0 ? shape.m * shape.n * std::max(a, b) : 0;
  return shape.batch * (2 * a * b * shape.m * shape.n * shape.k + additions);
}

std::int64_t bytes_of(const GemmShape& shape) {
  const std::int64_t a = element_bytes(shape.dtype_a);
  const std::int64_t b = element_bytes(shape.dtype_b);
  const std::int64_t c = element_bytes(shape.dtype_c);
  const std::int64_t added = shape.added > 0 ? element_bytes(shape.dtype_added) : 1;
  if (std::min({a, b, c, added}) == 0) return 0;
  const std::int64_t of_operands = shape.m * shape.k * a / values_in(shape.dtype_a) +
                                   shape.k * shape.n * b / values_in(shape.dtype_b) + shape.m * shape.n * c;
  return shape.batch * of_operands + shape.added * added;
}

std::int64_t bias_dimensions(const GemmShape& shape) {
  if (shape.added == 0) return 0;
  if (shape.added <= std::max(shape.m, shape.n)) return 1;
  return shape.added <= shape.m * shape.n ? 2 : 3;
}

std::vector<GemmGroup> gemm_groups(const RankTrace& trace, const TraceSelection& selection) {
  std::vector<GemmGroup> groups;
  std::map<std::pair<TraceId, TraceId>, std::size_t> places;  // by shape and kernel's name, as far as they count
  for (const GemmCall& call : calls_of(trace, selection)) {
    const TraceId shape = call.op == kNoId ? kNoId : trace.gemm_ops[call.op].shape;
    const bool by_shape = shape != kNoId && trace.gemm_shapes[shape].is_known();
    const std::pair key(shape, by_shape ? kNoId : trace.gpu_events[call.kernel].name);
    const auto [place, is_new] = places.try_emplace(key, groups.size());
    if (is_new) {
      GemmGroup& group = groups.emplace_back();
      if (shape != kNoId) group.shape = trace.gemm_shapes[shape];
      group.basis = by_shape ? GemmBasis::kShape : shape == kNoId ? GemmBasis::kName : GemmBasis::kKernel;
    }
    groups[place->second].calls.push_back(call);
  }
  for (GemmGroup& group : groups) name_kernel(group, trace);
  return groups;
}

}  // namespace kernbench::traces
