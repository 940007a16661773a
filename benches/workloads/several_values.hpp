// What a reader of an axis says of a text that is several values with commas between.
#pragma once

#include "sim/base/errors.hpp"

namespace kernbench {

/// Wrong where one is expected; a list has each by itself (35.17).
class SeveralValues : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

}  // namespace kernbench
