#include "sim/base/source_dir.hpp"

namespace kernbench {

std::string source_dir() { return KERNBENCH_SOURCE_DIR; }

}  // namespace kernbench
