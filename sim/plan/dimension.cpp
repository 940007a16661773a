#include "sim/plan/dimension.hpp"

#include <string>

#include "sim/base/errors.hpp"

namespace kernbench {

void check_dimension(const char* name, std::int64_t value) {
  if (value >= 1 && value <= kLargestDimension) return;
  throw ConfigError(std::string("dimension ") + name + " is " + std::to_string(value) + ": expected 1 to " +
                    std::to_string(kLargestDimension));
}

}  // namespace kernbench
