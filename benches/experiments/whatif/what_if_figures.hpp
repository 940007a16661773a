// The stairs and the tornado of an answer to "what if" (adr/0035-what-if.md).
#pragma once

#include <string>
#include <vector>

#include "benches/experiments/whatif/what_if.hpp"
#include "benches/results/figures/figure.hpp"

namespace kernbench {

/// `results` says where the numbers come from; `workload` what ran: "gemm 512x512x512 ref_ref on milestone-1h".
[[nodiscard]] Figure what_if_stairs(const WhatIf& answer, const MachineSpec& machine, const Results& results,
                                    const std::string& workload);
/// Keys that change the time by 1 % or more, the largest effect first.
[[nodiscard]] Figure what_if_tornado(const WhatIf& answer, const MachineSpec& machine, const Results& results,
                                     const std::string& workload);

/// The time over each of the curves' keys, with its knee.
[[nodiscard]] Figure what_if_curves(const WhatIf& answer, const MachineSpec& machine, const Results& results,
                                    const std::string& workload);

}  // namespace kernbench
