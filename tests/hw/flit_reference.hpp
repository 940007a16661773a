// The flit router's rules (adr/0017) followed cycle by cycle and channel by channel, with plain loops.
#pragma once

#include "sim/hw/noc/flit_fabric.hpp"

namespace kernbench::testing {

/// Runs `traffic` over the mesh for so many cycles.
void run_flit_reference(const FlitMeshConfig& config, FlitTraffic& traffic, Cycles cycles);

}  // namespace kernbench::testing
