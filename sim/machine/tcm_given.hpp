// What refusals say of a TCM that is too small.
#pragma once

#include <string>

#include "sim/base/units.hpp"

namespace kernbench {

/// "pe.tcm.capacity is 2048", or what others leave of what the file gives.
[[nodiscard]] inline std::string tcm_given(Bytes left, Bytes taken) {
  if (taken == 0) return "pe.tcm.capacity is " + std::to_string(left);
  return "of pe.tcm.capacity, " + std::to_string(left + taken) + ", slots of messages and copies take " +
         std::to_string(taken) + " and leave " + std::to_string(left);
}

}  // namespace kernbench
