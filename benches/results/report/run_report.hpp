// How one simulated run is shown: its stages, and which resource held it up.
#pragma once

#include <string>

#include "benches/io/text/terminal.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// A row a stage: records, wall-clock and occupancy, wall-clock as a share of the PE window, bytes, and bytes divided
/// by wall-clock. The last row is the HBM's pseudo-channels, whose share is the mean over the channels.
[[nodiscard]] std::string format_stages(const Row& row, const MachineSpec& machine, const Terminal& terminal);

/// "DMA credits 62.0 %": what limits, and what a run without it could save at most (adr/0033); "" for a row without a
/// ledger.
[[nodiscard]] std::string limit_text(const Row& row);

/// The limit and its cure, and below it where all of the window went.
[[nodiscard]] std::string format_limit(const Row& row, const MachineSpec& machine, const Terminal& terminal);

/// A line "name   value" of the summary, names aligned; values that are too long go on below.
[[nodiscard]] std::string fact(const std::string& name, const std::string& value, const Terminal& terminal);

/// The energy and power of a machine that has them, and what was asked for beside the simulation: "values   verified
/// ..." and "trace   FILE ...", where they were.
[[nodiscard]] std::string format_extras(const Row& row, const std::string& trace_file, const Terminal& terminal);

}  // namespace kernbench
