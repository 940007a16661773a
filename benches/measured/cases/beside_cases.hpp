// The products that are measured beside a collective over several GPUs.
#pragma once

#include <vector>

#include "benches/measured/cases/planned_case.hpp"
#include "benches/measured/cases/suites.hpp"

namespace kernbench {

/// Points m, k, n, dtype, collective, bytes, gpus, channels of the part "beside": every product with every number of
/// channels, those of one number after each other. `smoke`: the first product with the first two. Throws ConfigError
/// for a malformed part.
[[nodiscard]] std::vector<PlannedCase> beside_cases(const Suites& suites, int gpus, bool smoke);

}  // namespace kernbench
