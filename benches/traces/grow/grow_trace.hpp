// A trace that is repeated until it is large: whose tables are known (ADR-0042, 42.12).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "benches/traces/events/rank_trace.hpp"

namespace kernbench::traces {

/// Exactly one of `bytes` and `copies`.
struct GrowOptions {
  std::optional<std::uint64_t> bytes = {};   ///< to reach, before compression
  std::optional<std::uint64_t> copies = {};  ///< 1 or more
  std::optional<TracePs> period = {};        ///< from copy to copy; none: the span, rounded up to a whole ms
  bool skip_bad = false;                     ///< leave out events that do not parse
};

struct GrownTrace {
  std::uint64_t copies = 0;
  TracePs period = 0;
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;  ///< before compression
};

/// Writes `out` (.json, .json.gz), whole or not at all. Throws ConfigError for what cannot be read, a period shorter
/// than the span, an `out` that is the trace itself or has another name, times of more than 53 days, and ids that have
/// no room for so many copies.
GrownTrace grow_trace(const std::filesystem::path& in, const std::filesystem::path& out, const GrowOptions& options);

}  // namespace kernbench::traces
