// Values of a bench's own axes, as --sweep, --vary and --only take them (adr/0035-what-if.md, 35.11).
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

struct BenchAsked {
  Bench bench;                    ///< whose axes have the values that are asked for, in that order
  std::vector<std::string> keys;  ///< those of the texts that name no axis of the bench
};

/// `texts` are "AXIS=VALUES", or "AXIS" for all that it has. An open axis takes any values, lists and ranges as
/// key_axes() has them; another one some of its own. `only` is as of with_only(), and names no open axis of which there
/// are values here. Throws ConfigError that begins with `option`.
[[nodiscard]] BenchAsked with_own_axes(const Bench& registered, const std::string& option,
                                       const std::vector<std::string>& texts, const std::string& only = "");

/// The bench whose open axes have the values that --only names of them. Throws ConfigError for a value that an axis
/// cannot have; what select_points() refuses is left to it.
[[nodiscard]] Bench with_only(const Bench& bench, const std::string& only);

}  // namespace kernbench
