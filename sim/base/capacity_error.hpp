// A machine that is too small for what is asked of it: no fault of a run, and nobody's slip where many are tried.
#pragma once

#include "sim/base/errors.hpp"

namespace kernbench {

/// A memory does not hold what has to be in it. Asked for by name, that is wrong input; a point of a bench is skipped.
class CapacityError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

}  // namespace kernbench
