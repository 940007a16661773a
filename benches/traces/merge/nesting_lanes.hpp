// Which lane of a track a slice goes to: on one lane slices follow or hold each other, what crosses goes to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/traces/events/rank_trace.hpp"
#include "benches/traces/merge/flow_ids.hpp"

namespace kernbench::traces {

class NestingLanes {
 public:
  struct Open {
    TracePs start = 0;
    TracePs end = 0;
    std::vector<FlowPoint> flows;  ///< that lie inside of it, for who keeps them
  };

  /// The lane of a slice. Slices come by start, the longest first, after close_until(start).
  std::size_t place(TracePs start, TracePs end) {
    std::size_t lane = 0;
    while (lane < lanes_.size() && !lanes_[lane].empty() && lanes_[lane].back().end < end) ++lane;
    if (lane == lanes_.size()) lanes_.emplace_back();
    lanes_[lane].push_back({start, end, {}});
    return lane;
  }

  /// Takes away all slices that end at `time` or before, and calls `close(lane, Open)` for each: on a lane inner ones
  /// before outer ones.
  template <typename Close>
  void close_until(TracePs time, const Close& close) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      std::vector<Open>& open = lanes_[lane];
      for (; !open.empty() && open.back().end <= time; open.pop_back()) close(lane, open.back());
    }
  }

  /// The slice that began last among those that hold `time`, their ends too; none: nullptr.
  [[nodiscard]] Open* innermost(TracePs time) {
    Open* found = nullptr;
    for (std::vector<Open>& open : lanes_) {
      for (auto slice = open.rbegin(); slice != open.rend(); ++slice) {
        if (slice->end < time) continue;
        if (found == nullptr || slice->start > found->start) found = &*slice;
        break;
      }
    }
    return found;
  }

 private:
  std::vector<std::vector<Open>> lanes_;
};

}  // namespace kernbench::traces
