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

}  // namespace kernbench
