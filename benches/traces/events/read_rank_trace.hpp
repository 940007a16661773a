// Reads one trace file of PyTorch's profiler (Kineto), plain or gzip, in bounded memory (ADR-0040).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <regex>

#include "benches/traces/events/byte_window.hpp"
#include "benches/traces/events/rank_trace.hpp"

namespace kernbench::traces {

struct TraceReadOptions {
  bool skip_bad = false;                    ///< events that do not parse are left out and counted
  std::optional<std::regex> step_mark;      ///< annotations that are steps, besides ProfilerStep#N
  std::optional<std::regex> communication;  ///< names of further communication
  std::size_t window = kTraceWindow;        ///< bytes, 1 or more; an event larger than it makes it grow
};

/// Throws ConfigError "FILE: ..." for what is no trace, is damaged, or has no GPU event; with the byte (of the
/// decompressed file, or of the file where its gzip data are damaged).
[[nodiscard]] RankTrace read_rank_trace(const std::filesystem::path& file, const TraceReadOptions& options);

}  // namespace kernbench::traces
