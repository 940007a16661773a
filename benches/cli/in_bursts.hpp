// What longer packets than bursts cost the truth of a GEMM on one PE: the same run in bursts, beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/cli/sim_gemm.hpp"

namespace kernbench {

/// Of rows of which one is ok.
[[nodiscard]] const Row& fastest_of(const std::vector<Row>& rows);

/// The run once more in packets of a burst, as an HBM is read; nothing where packets are no longer than that.
[[nodiscard]] std::optional<Row> simulate_in_bursts(SimGemmOptions options, const GemmProblem& problem,
                                                    const GemmWay& way, LoadedMachine machine);

/// How far `row` is from it, and what limits it there; "" without it.
[[nodiscard]] std::string format_in_bursts(const Row& row, const std::optional<Row>& in_bursts,
                                           const MachineSpec& machine, const Look& look);

}  // namespace kernbench
