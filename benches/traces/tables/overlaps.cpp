#include "benches/traces/tables/overlaps.hpp"

#include <algorithm>
#include <limits>

namespace kernbench::traces {

CommunicationTimes::CommunicationTimes(const RankTrace& trace, bool unlinked) : trace_(trace) {
  TracePs latest = std::numeric_limits<TracePs>::min();
  for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
    const GpuEvent& event = trace.gpu_events[i];
    if (event.activity != GpuActivity::kCommunication || !(unlinked || trace.counts(event))) continue;
    latest = std::max(latest, event.end());
    events_.push_back(static_cast<TraceId>(i));
    latest_end_.push_back(latest);
  }
}

Overlap CommunicationTimes::during(const Interval& interval) const {
  Overlap overlap;
  UnionLength all;
  const auto first = std::ranges::upper_bound(latest_end_, interval.begin) - latest_end_.begin();
  for (auto i = static_cast<std::size_t>(first); i < events_.size(); ++i) {
    const GpuEvent& event = trace_.gpu_events[events_[i]];
    if (event.start >= interval.end) break;
    const Interval common{std::max(interval.begin, event.start), std::min(interval.end, event.end())};
    if (common.begin >= common.end) continue;
    all.add(common);
    overlap.collectives.push_back(events_[i]);
    if (common.end - common.begin > overlap.largest_time) {
      overlap.largest_time = common.end - common.begin;
      overlap.largest = events_[i];
    }
  }
  overlap.time = all.length();
  return overlap;
}

const std::string& collective_name(const RankTrace& trace, const GpuEvent& event) {
  if (event.collective == kNoId) return trace.name(event.name);
  return trace.signatures[trace.collectives[event.collective].signature].kind;
}

}  // namespace kernbench::traces
