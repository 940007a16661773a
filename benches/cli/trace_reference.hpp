// What collectives take alone, from the reference data of this source tree, for commands on traces.
#pragma once

#include "benches/traces/tables/collectives.hpp"

namespace kernbench {

/// Each device's reference data are read once.
[[nodiscard]] traces::AloneTimesOf reference_times();

}  // namespace kernbench
