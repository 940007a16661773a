// Max-min fair shares: what flows get that share links and memories, where none can have more without one that has
// no more than it having less (Bertsekas and Gallager, Data Networks, 6.5.2).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.hpp"

namespace kernbench {

/// What a flow takes bandwidth of: indices into the capacities, each at most once.
using FlowResources = std::vector<std::int32_t>;

/// Rates in bytes per second, by flow, found by progressive filling: all flows grow alike until a resource is full;
/// those that use it stay where they are, the others go on. Throws std::invalid_argument for a flow that uses nothing,
/// which has no limit.
[[nodiscard]] std::vector<double> max_min_rates(const std::vector<Bandwidth>& capacities,
                                                const std::vector<FlowResources>& flows);

}  // namespace kernbench
