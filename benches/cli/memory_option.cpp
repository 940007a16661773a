#include "benches/cli/memory_option.hpp"

#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {

void MemoryOption::add_to(CommandSpec& command) {
  command
      .add_option("--memory", size_,
                  "Refuse what is estimated to take more memory than this, e.g. '8 GiB', all jobs together [80 % of "
                  "the machine's]")
      .type_name("SIZE");
}

MemoryLimit MemoryOption::limit() const {
  if (size_.empty()) return default_memory_limit();
  Bytes bytes = 0;
  try {
    bytes = parse_quantity(size_, Dimension::kBytes);
  } catch (const ConfigError& error) {
    throw ConfigError("--memory: " + std::string(error.what()));
  }
  if (bytes < kProgramMemory) {
    throw ConfigError("--memory " + size_ + ": expected " + format_quantity(kProgramMemory, Dimension::kBytes) +
                      " or more");
  }
  return {bytes, "--memory " + size_};
}

}  // namespace kernbench
