// The table of docs/gpu-file.md, generated from the keys.
#include "sim/machine/gpu/gpu_keys.hpp"

namespace kernbench {

std::string gpu_file_reference() {
  std::string table = "| key | range | meaning |\n|---|---|---|\n";
  for (const GpuKey& key : gpu_keys()) {
    const bool optional = gpu_section_of(key.path) != nullptr;
    table += "| `" + std::string(key.path) + "` | " + std::string(key.least) + " to " + std::string(key.most) + " | " +
             std::string(key.meaning) + (optional ? " Optional section." : "") + " |\n";
  }
  return table;
}

}  // namespace kernbench
