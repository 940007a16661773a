// What several collectives say together: the fastest algorithm of a size, and time over size as lines (20.9).
#pragma once

#include <string>
#include <vector>

#include "benches/io/text/terminal.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// Of rows that derive_collectives() made.
[[nodiscard]] std::string format_derived_collectives(const std::vector<Row>& derived, const Terminal& terminal);

}  // namespace kernbench
