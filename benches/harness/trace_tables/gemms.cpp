#include "benches/harness/trace_tables/gemms.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "benches/harness/trace/classify.hpp"
#include "benches/harness/trace_tables/intervals.hpp"

namespace kernbench::traces {
namespace {

struct DtypeBytes {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<DtypeBytes, 24> kDtypeBytes{{
    {"BFloat16", 2},
    {"Half", 2},
    {"float", 4},
    {"Float", 4},
    {"double", 8},
    {"Double", 8},
    {"signed char", 1},
    {"unsigned char", 1},
    {"char", 1},
    {"int", 4},
    {"long int", 8},
    {"long", 8},
    {"short int", 2},
    {"Float8_e4m3fn", 1},
    {"Float8_e5m2", 1},
    {"Float8_e4m3fnuz", 1},
    {"Float8_e5m2fnuz", 1},
    {"Float8_e8m0fnu", 1},
    {"Byte", 1},
    {"Char", 1},
    {"Short", 2},
    {"Int", 4},
    {"Long", 8},
    {"Bool", 1},
}};

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

bool looks_like_gemm(const RankTrace& trace, const GpuEvent& event) {
  return event.kind == GpuEventKind::kKernel && event.activity == GpuActivity::kComputation &&
         is_gemm_name(trace.name(event.name));
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
    if (looks_like_gemm(trace, trace.gpu_events[id])) calls.push_back(call_of(trace, kNoId, {id}));
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

std::int64_t element_bytes(const std::string& dtype) {
  const auto found = std::ranges::find(kDtypeBytes, dtype, &DtypeBytes::name);
  return found == kDtypeBytes.end() ? 0 : found->bytes;
}

std::int64_t flops_of(const GemmShape& shape) {
  return shape.batch * (2 * shape.m * shape.n * shape.k + (shape.has_bias ? shape.m * shape.n : 0));
}

std::int64_t bytes_of(const GemmShape& shape) {
  const std::int64_t elements =
      shape.m * shape.k + shape.k * shape.n + shape.m * shape.n + (shape.has_bias ? shape.n : 0);
  return shape.batch * elements * element_bytes(shape.dtype_a);
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
