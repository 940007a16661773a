#include "sim/base/names.hpp"

#include <string>

namespace kernbench {

void refuse_nameless(std::string_view kind, long long value) {
  throw std::logic_error("the " + std::string(kind) + " of number " + std::to_string(value) + " has no name");
}

}  // namespace kernbench
