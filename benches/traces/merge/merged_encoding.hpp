// What a format has to be able to write of a merged trace. An encoding appends bytes; where they go is its user's
// business.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benches/traces/events/event_times.hpp"
#include "benches/traces/events/whole_events.hpp"
#include "benches/traces/merge/flow_ids.hpp"
#include "benches/traces/merge/merged_ids.hpp"

namespace kernbench::traces {

struct MergedProcess {
  std::int64_t pid = 0;  ///< from 1, in the order of the viewer
  std::string name;      ///< "[R0] python3 GPU 0"
};

/// A lane of a thread or stream.
struct MergedTrack {
  std::int64_t pid = 0;
  std::int64_t tid = 0;         ///< from 1, one for all processes
  std::string name;             ///< "stream 7 #2"
  std::int64_t sort_index = 0;  ///< within the process
};

class MergedEncoding {
 public:
  virtual ~MergedEncoding() = default;

  /// First, and of every event: appends what is written of it besides its time, track and flows.
  virtual void describe(const WholeEvent& event, MergedIds& ids, std::string& body) = 0;

  /// Then the file, from its begin. Times below are ps since `base_ns`, which is since 1970, and 0 or more; `metadata`
  /// is JSON of an object.
  virtual void begin(std::int64_t base_ns, const std::string& metadata, std::string& out) = 0;
  virtual void process(const MergedProcess& process, std::string& out) = 0;
  virtual void track(const MergedTrack& track, std::string& out) = 0;
  /// Slices of a track come by start, outer ones first, and with their ends in the order of time.
  virtual void slice(const MergedTrack& track, const EventTimes& times, std::string_view body,
                     const std::vector<FlowPoint>& flows, std::string& out) = 0;
  virtual void slice_end(const MergedTrack& track, TracePs end, const std::vector<FlowPoint>& flows,
                         std::string& out) = 0;
  virtual void instant(const MergedTrack& track, TracePs at, std::string_view body, std::string& out) = 0;
  /// An end of a flow that lies in no slice.
  virtual void loose_flow(const MergedTrack& track, const FlowPoint& flow, std::string& out) = 0;
  virtual void end(std::string& out) = 0;
};

/// Perfetto's TrackEvent packets, as the simulator's own traces are; times are whole ns, rounded down.
[[nodiscard]] std::unique_ptr<MergedEncoding> merged_perfetto_encoding();
/// Chrome's trace events, to the picosecond.
[[nodiscard]] std::unique_ptr<MergedEncoding> merged_chrome_encoding();

}  // namespace kernbench::traces
