// The results of a bench that are committed beside it, and whether they are still what a run would give.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

struct Committed {
  Results simulated;
  Results theory;  ///< no rows where the bench has no theory
};

/// `<folder>/results` in the source tree.
std::filesystem::path committed_folder(const Bench& bench);

/// Empty where nothing is committed. Throws ConfigError for a file that cannot be read as results, or whose rows are
/// not those of the bench, each once, with sensible numbers (ADR-0009, 9.10).
std::optional<Committed> read_committed(const Bench& bench);

}  // namespace kernbench
