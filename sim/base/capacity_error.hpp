// A machine that is too small for what is asked of it: no fault of a run, and nobody's slip where many are tried.
#pragma once

#include <string>

#include "sim/base/errors.hpp"
#include "sim/base/units.hpp"

namespace kernbench {

/// A memory does not hold what has to be in it. Asked for by name, that is wrong input; a point of a bench is skipped.
class CapacityError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// "1 byte is missing", "2048 bytes are missing".
[[nodiscard]] inline std::string missing_bytes(Bytes bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte is missing" : " bytes are missing");
}

/// "pe.tcm.capacity is 2048", or what others leave of what the file gives.
[[nodiscard]] inline std::string tcm_given(Bytes left, Bytes taken) {
  if (taken == 0) return "pe.tcm.capacity is " + std::to_string(left);
  return "of pe.tcm.capacity, " + std::to_string(left + taken) + ", slots of messages and copies take " +
         std::to_string(taken) + " and leave " + std::to_string(left);
}

}  // namespace kernbench
