// The collectives that several GPUs are measured on, and the bandwidths that are derived from their times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/measured/cases/planned_case.hpp"
#include "benches/measured/cases/suites.hpp"

namespace kernbench {

/// Points collective, gpus, bytes, setting of the part "collectives": all sizes of all_reduce, reduce_scatter,
/// all_gather, broadcast and all_to_all. `bytes` is the whole buffer of a rank: of all_gather the one it fills, of
/// reduce_scatter the one it reads, of all_to_all the one it sends. `only`: these collectives, if any are named.
/// `smoke`: two sizes. Throws ConfigError for a malformed part or an unknown collective.
[[nodiscard]] std::vector<PlannedCase> measured_collective_cases(const Suites& suites, int gpus,
                                                                 const std::string& setting,
                                                                 const std::vector<std::string>& only, bool smoke);

}  // namespace kernbench
