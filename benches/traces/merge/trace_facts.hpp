// What is in a trace and what is wrong with it: of a rank's own, a merged one, one of the simulator (ADR-0042).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/merge/event_collector.hpp"

namespace kernbench::traces {

struct FactsTrack {
  std::string process;  ///< "" the file names none
  std::string name;
  std::uint64_t slices = 0;
  std::uint64_t crossing = 0;  ///< slices that begin inside of another of the track and end after it
};

/// Slices of one category, of one rank where the file is a merged one.
struct FactsCategory {
  std::optional<std::int64_t> rank;
  CategoryCount count;
};

struct TraceFacts {
  std::filesystem::path file;
  bool is_perfetto = false;  ///< else Chrome's trace events
  bool is_merged = false;    ///< kernbench trace merge wrote it
  std::string merge;         ///< JSON of what it says of its ranks
  std::uint64_t bytes = 0;   ///< decompressed
  std::vector<FactsTrack> tracks;
  std::vector<FactsCategory> categories;  ///< by rank, then name
  std::uint64_t instants = 0;
  std::uint64_t other_events = 0;  ///< phases or packets that are neither slices, flows, instants nor descriptions
  std::uint64_t without_time = 0;
  std::uint64_t bad_events = 0;
  std::optional<std::uint64_t> truncated_at;  ///< as RankTrace has it
  std::uint64_t gpu_events = 0;
  FlowCounts flows;
  Int128 first_ps = 0;  ///< since 1970 where the file says its base time
  Int128 span_ps = 0;
  std::set<std::int64_t> steps;
  std::vector<std::string> devices;
  std::vector<std::string> problems;  ///< what a merged trace must not have

  [[nodiscard]] std::uint64_t slices() const;
  [[nodiscard]] std::uint64_t crossing() const;
};

/// Reads a trace, plain or gzip; its format is told by its content. `skip_bad`: events that do not parse are counted.
/// Throws ConfigError "FILE: ..." for what cannot be read.
[[nodiscard]] TraceFacts read_trace_facts(const std::filesystem::path& file, bool skip_bad);

/// Slices of one category and rank, summed: where they are added and looked up.
void add_category(std::vector<FactsCategory>& categories, std::optional<std::int64_t> rank, const CategoryCount& count);

/// Ids of launches and kernels that a rank has.
struct IdRange {
  std::int64_t rank = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
/// Adds a line for each two ranks whose ids lie among each other.
void add_shared_ids(const std::vector<IdRange>& ranges, std::vector<std::string>& problems);

/// What of the inputs the merged trace has not, or has otherwise: a line for each rank and category whose count or
/// summed duration differs; none: all is there once. Throws ConfigError for inputs that cannot be read.
[[nodiscard]] std::vector<std::string> compare_with_inputs(const TraceFacts& merged,
                                                           const std::vector<TraceFile>& inputs, bool skip_bad);

/// {"schema": "kernbench.trace-facts/1", ...}: the members of TraceFacts; durations in µs.
[[nodiscard]] std::string facts_json(const TraceFacts& facts);

}  // namespace kernbench::traces
