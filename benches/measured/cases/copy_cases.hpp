// The copies that GPUs are measured on.
#pragma once

#include <vector>

#include "benches/measured/cases/planned_case.hpp"
#include "benches/measured/cases/suites.hpp"

namespace kernbench {

/// Points copy, gpus, bytes of the part "copy". One GPU: device_to_device, host_to_device, device_to_host. Two: peer (0
/// to 1) and peer_bidirectional (both ways at once). More: peer, all at once, each to the next. `smoke`: two sizes.
/// Throws ConfigError for a malformed part.
[[nodiscard]] std::vector<PlannedCase> copy_cases(const Suites& suites, int gpus, bool smoke);

}  // namespace kernbench
