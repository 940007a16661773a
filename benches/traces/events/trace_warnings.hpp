// What makes a trace's tables doubtful, in words.
#pragma once

#include <string>
#include <vector>

#include "benches/traces/events/rank_trace.hpp"
#include "benches/traces/events/trace_files.hpp"

namespace kernbench::traces {

/// Appends to trace.warnings (ADR-0040, 40.12): bad events left out, no runtime events, no communication among several
/// ranks, kernels of one stream that overlap, shapes and element types that were not recorded, GEMMs without an
/// operator, kernels of graphs, GPU events outside of all steps.
void add_warnings(RankTrace& trace);

/// What --skip-bad left out of it, in words; "" where that is nothing.
[[nodiscard]] std::string skipped(const RankTrace& trace);

/// Of one file, whose name is printable.
struct FileWarning {
  std::string file;
  std::string warning;
};

/// "FILE: WARNING" a line; of warnings that differ in their numbers alone the first one, with how many other files have
/// such (40.34).
[[nodiscard]] std::vector<std::string> warning_lines(const std::vector<FileWarning>& warnings);
/// Of all traces.
[[nodiscard]] std::vector<std::string> warning_lines(const std::vector<PlacedTrace>& traces);

}  // namespace kernbench::traces
