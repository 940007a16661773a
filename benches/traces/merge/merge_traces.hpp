// Writes the traces of all ranks of a run as one (ADR-0042). Events stream through: what is sorted waits on the disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/merge/flow_ids.hpp"
#include "benches/traces/merge/rank_clocks.hpp"

namespace kernbench::traces {

struct MergeOptions {
  Alignment align = Alignment::kAuto;
  bool skip_bad = false;  ///< events that do not parse are left out and counted
};

/// What a merge did with a rank.
struct MergedRank {
  std::int64_t rank = 0;
  std::int64_t world_size = 0;  ///< ranks of the run, as its file has it; 0: not said
  std::filesystem::path file;
  bool has_base_time = false;
  RankClock clock;
  std::uint64_t slices = 0;
  std::uint64_t flows = 0;         ///< written, each with both ends
  FlowCounts flow_counts;          ///< of the input
  std::uint64_t crossing = 0;      ///< slices on a second lane
  std::uint64_t without_time = 0;  ///< events without ts, left out
  std::uint64_t other_events = 0;  ///< of phases that are not written: counters, asynchronous ones
  std::string skipped;             ///< what skip_bad left out, in words
};

/// Perfetto's format or Chrome's by the name of `out`, gzip where it ends in .gz; the temporary files lie beside it.
/// Throws ConfigError for another name, an output that is an input, files that read_rank_trace refuses (a trace without
/// GPU events among them), more than one point of a sweep, what put_in_order refuses, ranks more than 53 days apart;
/// SimulationError where the file cannot be written. Then there is no file.
[[nodiscard]] std::vector<MergedRank> merge_traces(const std::vector<TraceFile>& files,
                                                   const std::filesystem::path& out, const MergeOptions& options);

}  // namespace kernbench::traces
