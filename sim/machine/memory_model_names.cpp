#include "sim/machine/memory_model_names.hpp"

#include <algorithm>
#include <vector>

namespace kernbench {
namespace {

std::vector<std::string>& names() {
  static std::vector<std::string> all;
  return all;
}

}  // namespace

std::span<const std::string> memory_model_names() { return names(); }

void add_memory_model_name(const std::string& name) { names().insert(std::ranges::lower_bound(names(), name), name); }

}  // namespace kernbench
