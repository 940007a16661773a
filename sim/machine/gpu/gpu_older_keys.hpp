// The part of the table of keys that describes older kernels, a section a family.
#pragma once

#include <vector>

#include "sim/machine/gpu/gpu_keys.hpp"

namespace kernbench {

void add_older_keys(std::vector<GpuKey>& keys);
void add_older_sections(std::vector<GpuSection>& sections);

}  // namespace kernbench
