// The products that are launched in a CUDA graph, on a stream and from a host that is late (adr/0061).
#pragma once

#include <vector>

#include "benches/measured/cases/planned_case.hpp"
#include "benches/measured/cases/suites.hpp"

namespace kernbench {

/// Points m, k, n, dtype of the part "launches": every product with every dtype. `smoke`: the first with the first.
/// Throws ConfigError for a malformed part.
[[nodiscard]] std::vector<PlannedCase> launch_cases(const Suites& suites, bool smoke);

}  // namespace kernbench
