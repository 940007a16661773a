// Reference rows and device cards for the terminal.
#pragma once

#include <string>

#include "benches/io/text/terminal.hpp"
#include "benches/measured/reference/device.hpp"
#include "benches/measured/reference/reference_bench.hpp"

namespace kernbench {

/// The device's name, peaks, facts, and where the peaks come from, a line each.
[[nodiscard]] std::string format_card(const Device& device, const Terminal& terminal);

/// A line on the file (counts, date, versions), its good rows as a table with the bench's metrics, units in the heads
/// (where the width is limited, what is the same in all rows stands above it), then each failed and skipped row with
/// its reason, and what the run left out.
[[nodiscard]] std::string format_rows(const Results& results, const ReferenceBench& bench, const Terminal& terminal);

/// The bench's first metric with the values of one field of the points side by side, and which is best: the shortest
/// time, or else the largest. What is failed or skipped says so, and is not compared. Throws ConfigError for a field
/// that no row has.
[[nodiscard]] std::string format_across(const Results& results, const ReferenceBench& bench, const std::string& field,
                                        const Terminal& terminal);

}  // namespace kernbench
