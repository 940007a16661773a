// Takes every event of one trace in: counts it, and keeps it on the disk, so that it comes out by track and time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "benches/traces/events/event_parser.hpp"
#include "benches/traces/events/rank_trace.hpp"
#include "benches/traces/events/whole_events.hpp"
#include "benches/traces/merge/flow_ids.hpp"
#include "benches/traces/merge/merged_encoding.hpp"
#include "benches/traces/merge/sorted_records.hpp"
#include "sim/base/checked.hpp"

namespace kernbench::traces {

inline constexpr std::int64_t kPsPerNs = 1000;

/// Slices of one category.
struct CategoryCount {
  std::string category;
  std::uint64_t slices = 0;
  Int128 duration_ps = 0;  ///< the sum
  Int128 duration_ns = 0;  ///< the sum of end − start, both rounded down to ns: what a Perfetto file has
};

struct CollectedTrack {
  std::string pid;  ///< as the file has them, quotes taken away
  std::string tid;
  bool is_of_gpu = false;  ///< has kernels, copies, memsets or annotations of the GPU
  std::vector<CategoryCount> categories;
  std::uint64_t first_id = 0;  ///< of correlation ids below 2^62, where they are looked at; 0: none
  std::uint64_t last_id = 0;
};

/// A communication kernel that ends on no rank before all have come, for aligning ranks.
struct CollectiveTime {
  std::uint64_t key = 0;        ///< stands for signature, group and Seq
  std::int64_t group_size = 0;  ///< of a group without name and ranks, -1: not said; 0: they are recorded
  TracePs start = 0;
  TracePs end = 0;
};

struct CollectedEvents {
  RankTrace about;                     ///< its file, distributedInfo, devices, base time, bytes, bad events; no event
  Int128 origin_ps = 0;                ///< of all times here, whole ns; `ts` of the first event that has one, about
  TracePs earliest = 0;                ///< start of a slice or instant
  TracePs latest = 0;                  ///< end of one
  std::string merge;                   ///< JSON of what a merge says of its ranks; "" the file is none
  std::vector<CollectedTrack> tracks;  ///< RecordHead::track is an index of it
  std::map<std::string, std::string> process_names;   ///< by pid
  std::map<std::string, std::string> process_labels;  ///< by pid: "GPU 0"
  std::map<std::string, std::string> thread_names;    ///< by "pid/tid"
  std::uint64_t named_twice = 0;                      ///< processes and threads, by different names
  std::set<std::int64_t> steps;                       ///< numbers of ProfilerStep#N
  FlowIds flows;
  std::vector<CollectiveTime> collectives;
  std::map<char, std::uint64_t> phases;  ///< events by phase
  std::uint64_t gpu_events = 0;          ///< kernels, copies, memsets
  std::uint64_t without_time = 0;        ///< slices, flows and instants without ts, left out
  std::uint64_t flows_without_id = 0;    ///< left out

  [[nodiscard]] std::uint64_t slices() const;
};

class EventCollector : public WholeEventSink {
 public:
  /// Without an encoding what is kept of a slice has no payload.
  EventCollector(std::filesystem::path temporary_folder, MergedEncoding* encoding, MergedIds* ids);

  [[nodiscard]] std::string take(const WholeEvent& event) override;
  /// Flows are numbered from `first_flow` on.
  void finish(std::uint64_t first_flow);

  [[nodiscard]] CollectedEvents& events() { return events_; }
  [[nodiscard]] SortedRecords& records() { return records_; }

 private:
  [[nodiscard]] std::uint32_t track_of(const WholeEvent& event);
  void take_metadata(const WholeEvent& event);
  [[nodiscard]] std::string take_slice(const WholeEvent& event);
  [[nodiscard]] std::string take_other(const WholeEvent& event);
  void count(CollectedTrack& track, const WholeEvent& event, const EventTimes& times);
  void cover(const EventTimes& times);
  static void take_id(CollectedTrack& track, const WholeEvent& event);
  void take_collective(const WholeEvent& event, const EventTimes& times);

  CollectedEvents events_;
  SortedRecords records_;
  MergedEncoding* encoding_;
  MergedIds* ids_;
  std::unordered_map<std::string, std::uint32_t> track_ids_;
  std::string key_;       ///< of a look-up, kept for its memory
  std::string last_key_;  ///< of the event before
  std::uint32_t last_track_ = 0;
  std::string payload_;
  bool has_origin_ = false;
  bool is_covered_ = false;
};

/// N of "ProfilerStep#N".
[[nodiscard]] std::optional<std::int64_t> profiler_step(std::string_view name);

/// What a flow's payload begins with.
struct StoredFlow {
  std::uint64_t key = 0;
  char phase = 's';
};

/// Reads a trace as it is. Throws as read_rank_trace, but a trace without GPU events is taken.
void collect_events(const std::filesystem::path& file, bool skip_bad, EventCollector& collector);

}  // namespace kernbench::traces
