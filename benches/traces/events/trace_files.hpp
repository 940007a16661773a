// Which files a trace argument names, and of which rank and which point of a sweep each is (ADR-0040, 40.4 and 40.5).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benches/traces/events/read_rank_trace.hpp"

namespace kernbench::traces {

/// What a path says: "channels" "28", "threads" "256", in the layout's order.
using TraceAxes = std::vector<std::pair<std::string, std::string>>;

struct TraceFile {
  std::filesystem::path path;
  TraceAxes axes;
  std::optional<std::int64_t> rank;
  std::vector<std::string> passed_over{};  ///< a line each of the files beside it that are no traces
};

/// One rank's trace and where it belongs.
struct PlacedTrace {
  TraceAxes axes;
  std::int64_t rank = 0;
  RankTrace trace;
};

/// The files that `paths` name: files themselves, folders with all below them. A folder's files are those of `layout`
/// ("{channels}ch_{threads}threads/rank{rank}.json": {name} is a part of a path's name, * any text, ".gz" may follow;
/// "" the layouts that 40.4 lists), else all .json and .json.gz; of several, those that are no traces are passed over.
/// Throws ConfigError for what is not there, a folder without traces, a layout without names or with one twice.
[[nodiscard]] std::vector<TraceFile> find_trace_files(const std::vector<std::filesystem::path>& paths,
                                                      const std::string& layout);

/// Gives what a file holds its rank, and its warnings what was passed over beside it. Throws ConfigError where its path
/// contradicts it.
[[nodiscard]] PlacedTrace place_trace(const TraceFile& file, RankTrace trace);

/// Sorts by axes (numbers as numbers) and rank. Throws ConfigError for two files of one rank, and for ranks of
/// different runs.
void put_in_order(std::vector<PlacedTrace>& traces);

/// Reads them, on all cores; sorted by axes (numbers as numbers) and rank. Throws the first file's ConfigError; and for
/// a rank that contradicts the path, two files of one rank, and ranks of different runs.
[[nodiscard]] std::vector<PlacedTrace> read_traces(const std::vector<TraceFile>& files,
                                                   const TraceReadOptions& options);

}  // namespace kernbench::traces
