// Numbers of a GPU that cannot all be true.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/gpu/gpu_spec.hpp"

namespace kernbench {

struct GpuContradiction {
  std::vector<std::string_view> keys;              ///< the first one is blamed
  std::string (*check)(const GpuSpec&) = nullptr;  ///< what is wrong, "" where nothing is
};

[[nodiscard]] const std::vector<GpuContradiction>& gpu_contradictions();

}  // namespace kernbench
