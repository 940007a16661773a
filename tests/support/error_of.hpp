#pragma once

#include <functional>
#include <string>

#include "sim/base/errors.hpp"

/// The message that some work is refused with; "" where it is not.
[[nodiscard]] inline std::string error_of(const std::function<void()>& work) {
  try {
    work();
    return "";
  } catch (const kernbench::ConfigError& error) {
    return error.what();
  }
}
