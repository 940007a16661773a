// The keys of a GPU's file that operators and copies take (adr/0053).
#pragma once

#include <vector>

#include "sim/machine/gpu/gpu_keys.hpp"

namespace kernbench {

void add_operator_keys(std::vector<GpuKey>& keys);

}  // namespace kernbench
