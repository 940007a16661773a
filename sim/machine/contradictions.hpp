// Values that are each in range but cannot be true together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

struct Contradiction {
  std::vector<std::string_view> keys;  ///< the values compared; the error is the first one's
  /// What is wrong, naming the other keys and all numbers; empty where the values agree.
  std::string (*check)(const MachineSpec&);
};

/// Every check. One may be made as soon as all its keys have a valid value.
std::span<const Contradiction> contradictions();

}  // namespace kernbench
