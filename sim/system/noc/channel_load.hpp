// What a traffic pattern offers the channels of a mesh (adr/0017, 17.30).
#pragma once

#include "sim/system/noc/traffic_pattern.hpp"

namespace kernbench {

/// Flits a cycle that the most loaded channel is offered on average, where every node creates one flit a cycle: of the
/// links between routers, to and from nodes. Routes go along the row first. At 1 and above a channel cannot carry it.
/// After Dally and Towles, Principles and Practices of Interconnection Networks, 2004, section 3.3.
[[nodiscard]] double most_channel_load(const TrafficSpec& spec);

}  // namespace kernbench
