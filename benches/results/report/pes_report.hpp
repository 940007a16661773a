// Runs on several PEs as rows of results and as tables: each PE, its array, its traffic; the links.
#pragma once

#include <string>

#include "benches/io/text/terminal.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// A row a PE, the first of them where they are many.
[[nodiscard]] std::string format_pes(const Row& row, const Terminal& terminal);
/// What the time of the PEs went to, and what limits the one that ends last (adr/0033).
[[nodiscard]] std::string format_ledgers(const Row& row, const MachineSpec& machine, const Terminal& terminal);
/// Where the matrices of a GEMM lie, who multiplies nothing, and what PEs have before the run begins.
[[nodiscard]] std::string describe_placement(const Row& row);
/// How long arrays stood still, how evenly PEs had work, and what links carried.
[[nodiscard]] std::string format_multi_pe_facts(const Row& row, const Terminal& terminal);
/// What was counted and not simulated (adr/0060), and the option that simulates it; empty where nothing was.
[[nodiscard]] std::string format_repeated(const Row& row, const std::string& option, const Terminal& terminal);

}  // namespace kernbench
