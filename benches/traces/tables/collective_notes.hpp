// What tables of collectives rest on, in words: ranks that are missing, clocks that were set, groups that nothing names
// (ADR-0040, 40.31 to 40.33).
#pragma once

#include <string>
#include <vector>

#include "benches/traces/tables/collectives.hpp"

namespace kernbench::traces {

/// A line each, missing ranks first; of ranks or points that are alike one for all.
[[nodiscard]] std::vector<std::string> collective_notes(const std::vector<TimedGroup>& groups);

}  // namespace kernbench::traces
