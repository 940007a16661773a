#include "benches/traces/events/linking.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kernbench::traces {
namespace {

constexpr TraceId kUsed = kNoId - 1;  // in the place of a launch's operator

/// Ids 0, 1, ... of `count` things, ordered by `key`, and the smaller id first where keys are equal.
template <typename Key>
std::vector<TraceId> ids_by(std::size_t count, Key key) {
  std::vector<TraceId> ids(count);
  std::iota(ids.begin(), ids.end(), TraceId{0});
  std::ranges::sort(ids, {}, [&key](TraceId id) { return std::tuple_cat(key(id), std::tuple(id)); });
  return ids;
}

/// Of launches sorted by correlation, the first with this one.
TraceId launch_of(const std::deque<Launch>& launches, std::uint64_t correlation) {
  const auto found = std::ranges::lower_bound(launches, correlation, {}, &Launch::correlation);
  if (found == launches.end() || found->correlation != correlation) return kNoId;
  return static_cast<TraceId>(found - launches.begin());
}

/// Keeps those launches that GPU events come from.
void find_launches(RankTrace& trace) {
  std::ranges::sort(trace.launches, {},
                    [](const Launch& launch) { return std::tuple(launch.correlation, launch.start, launch.end); });
  const auto launch_of_event = [&trace](const GpuEvent& event) {
    return event.correlation == 0 ? kNoId : launch_of(trace.launches, event.correlation);
  };
  for (const GpuEvent& event : trace.gpu_events) {
    if (const TraceId id = launch_of_event(event); id != kNoId) trace.launches[id].gemm_op = kUsed;
  }
  std::erase_if(trace.launches, [](const Launch& launch) { return launch.gemm_op != kUsed; });
  for (Launch& launch : trace.launches) launch.gemm_op = kNoId;
  for (GpuEvent& event : trace.gpu_events) {
    event.launch = launch_of_event(event);
    event.is_linked = event.launch != kNoId;
  }
}

/// Goes over launches and operators of each thread by time, with the operators that are open on a stack.
void find_ops_around_launches(RankTrace& trace) {
  const auto& ops = trace.gemm_ops;
  const auto op_ids =
      ids_by(ops.size(), [&ops](TraceId id) { return std::tuple(ops[id].thread, ops[id].start, -ops[id].end); });
  const auto launch_ids = ids_by(trace.launches.size(), [&trace](TraceId id) {
    return std::tuple(trace.launches[id].thread, trace.launches[id].start);
  });
  std::vector<TraceId> open;
  auto next = op_ids.begin();
  for (const TraceId id : launch_ids) {
    Launch& launch = trace.launches[id];
    for (; next != op_ids.end() &&
           std::tuple(ops[*next].thread, ops[*next].start) <= std::tuple(launch.thread, launch.start);
         ++next) {
      open.push_back(*next);
    }
    std::erase_if(open, [&](TraceId op) { return ops[op].thread != launch.thread || ops[op].end < launch.start; });
    if (!open.empty()) launch.gemm_op = open.back();
  }
}

}  // namespace

void link_events(RankTrace& trace, const std::deque<std::uint64_t>& external_ids) {
  find_launches(trace);
  find_ops_around_launches(trace);
  const auto& ops = trace.gemm_ops;
  const auto by_external = ids_by(ops.size(), [&ops](TraceId id) { return std::tuple(ops[id].external_id); });
  const auto op_of_external = [&](std::uint64_t external_id) {
    const auto found =
        std::ranges::lower_bound(by_external, external_id, {}, [&ops](TraceId id) { return ops[id].external_id; });
    return found != by_external.end() && ops[*found].external_id == external_id ? *found : kNoId;
  };
  for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
    GpuEvent& event = trace.gpu_events[i];
    if (event.is_linked) {
      event.gemm_op = trace.launches[event.launch].gemm_op;
    } else if (external_ids[i] != 0) {
      event.gemm_op = op_of_external(external_ids[i]);
    }
  }
  std::ranges::sort(trace.gpu_events, {}, [](const GpuEvent& event) {
    return std::tuple(event.start, event.duration, event.correlation, event.name, event.stream);
  });
}

}  // namespace kernbench::traces
