// The keys of a GPU's file about links and collectives (adr/0051): nvlink and nccl.
#pragma once

#include <vector>

#include "sim/machine/gpu/gpu_keys.hpp"

namespace kernbench {

void add_link_keys(std::vector<GpuKey>& keys);

}  // namespace kernbench
