// Writes the events of one rank as they come, sorted by track and time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benches/traces/merge/event_collector.hpp"
#include "benches/traces/merge/merged_encoding.hpp"
#include "benches/traces/merge/merged_names.hpp"
#include "benches/traces/merge/nesting_lanes.hpp"

namespace kernbench::traces {

class RankWriter {
 public:
  /// What has been encoded goes to `write` and is cleared, whenever there is enough of it.
  using Write = std::function<void(std::string&)>;

  /// `shift`: from the rank's times to the file's, ps. `next_tid`: the first that is free, in the end too.
  RankWriter(MergedEncoding& encoding, const CollectedEvents& events, MergedNames names, TracePs shift,
             std::int64_t& next_tid, Write write);

  void write_all(SortedRecords& records);

  [[nodiscard]] std::uint64_t crossing() const { return crossing_; }

 private:
  void finish_track();
  void take_slice(const SortedRecord& record);
  void take_flow(const SortedRecord& record);
  void write_pending();
  /// The lane, described where it is new.
  const MergedTrack& lane(std::size_t number);
  void end_slices(TracePs until);
  void flush();

  MergedEncoding& encoding_;
  const CollectedEvents& events_;
  MergedNames names_;
  TracePs shift_;
  std::int64_t& next_tid_;
  Write write_;
  std::string out_;

  std::uint32_t track_ = 0;
  std::vector<MergedTrack> lanes_of_track_;
  NestingLanes lanes_;
  /// The last slice, which waits for the flows of its instant.
  bool is_pending_ = false;
  EventTimes pending_times_;
  std::string pending_body_;
  std::vector<FlowPoint> pending_flows_;
  std::uint64_t crossing_ = 0;
};

}  // namespace kernbench::traces
