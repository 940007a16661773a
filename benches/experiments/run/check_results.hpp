// Whether results read from a file can be those of a run of a bench: before they stand in for one (ADR-0009, 9.10).
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// What is wrong with `results`, each finding a line "FILE: rows[3] {"size":1}: time_ns: expected WHAT, got WHAT";
/// empty: nothing. `kind` is "sim" or "theory". Every point of the bench must be there once, and no other; derived rows
/// are passed over, as they are worked out anew.
[[nodiscard]] std::vector<std::string> check_results(const Results& results, const Bench& bench,
                                                     const std::string& kind, const std::string& file);

}  // namespace kernbench
