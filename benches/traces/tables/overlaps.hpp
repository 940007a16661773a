// What communication of a rank runs while a kernel does (ADR-0040, 40.19).
#pragma once

#include <string>
#include <vector>

#include "benches/traces/events/rank_trace.hpp"
#include "benches/traces/tables/intervals.hpp"

namespace kernbench::traces {

struct Overlap {
  std::vector<TraceId> collectives;  ///< into RankTrace::gpu_events, by start
  TraceId largest = kNoId;           ///< the one with the most time in common, of equals the first
  TracePs largest_time = 0;
  TracePs time = 0;  ///< of the union of all
};

/// The trace has to outlive it.
class CommunicationTimes {
 public:
  /// Of the events that count (of all with `unlinked`), whatever their step.
  CommunicationTimes(const RankTrace& trace, bool unlinked);

  /// Events that only touch the interval do not overlap it.
  [[nodiscard]] Overlap during(const Interval& interval) const;

 private:
  const RankTrace& trace_;
  std::vector<TraceId> events_;      ///< by start
  std::vector<TracePs> latest_end_;  ///< of the events up to each
};

/// What the tables call a collective: `Collective name`, else the kernel's own name.
[[nodiscard]] const std::string& collective_name(const RankTrace& trace, const GpuEvent& event);

}  // namespace kernbench::traces
