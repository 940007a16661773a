#include "sim/base/checked.hpp"

#include <string>

#include "sim/base/errors.hpp"

namespace kernbench {

void throw_overflow(std::string_view what, std::string_view unit) {
  throw OverflowError(std::string(what) + " beyond 2^63 - 1 " + std::string(unit) +
                      ", the most that is counted; take a smaller problem or a faster machine");
}

}  // namespace kernbench
