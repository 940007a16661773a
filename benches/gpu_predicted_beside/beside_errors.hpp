// How far predicted slowdowns are from measured ones (adr/0058): rows derived from a run's.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// "1024×4096×4096".
[[nodiscard]] std::string product_shape(const Row& row);

/// As error_rows(), of the slowdown: all rows, then each product's; beside them the slowdown of one that no collective
/// touches, which is 1.
[[nodiscard]] std::vector<Row> beside_error_rows(const Results& predicted);

}  // namespace kernbench
