// The keys of a GPU's file: ONE table, of which each section has its own part. Reading, checking, messages, the hash,
// the list of numbers and the reference follow from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/quantity.hpp"
#include "sim/machine/gpu/gpu_spec.hpp"

namespace kernbench {

inline constexpr std::string_view kGpuSchema = "kernbench.gpu/1";

/// A number of the file. `scale` x base units of its dimension (quantity.hpp) is what GpuSpec holds.
struct GpuKey {
  std::string_view path;  ///< "hbm.bandwidth"
  Dimension dimension = Dimension::kRatio;
  std::string_view least;  ///< limits as a file writes them
  std::string_view most;
  double& (*ref)(GpuSpec&) = nullptr;
  std::string_view meaning;
};

/// A section that a GPU may be without; where one of its keys is given all are needed.
struct GpuSection {
  std::string_view path;  ///< "tensor.fp8"
  bool& (*given)(GpuSpec&) = nullptr;
};

/// Every key, in the order of the reference.
[[nodiscard]] const std::vector<GpuKey>& gpu_keys();
[[nodiscard]] const std::vector<GpuSection>& gpu_sections();
/// nullptr where there is none.
[[nodiscard]] const GpuKey* find_gpu_key(std::string_view path);
/// The optional section around a key, or nullptr.
[[nodiscard]] const GpuSection* gpu_section_of(std::string_view path);

/// Keys and sections directly in a section ("": of the file), each once.
[[nodiscard]] std::vector<std::string> gpu_names_below(const std::string& section);
[[nodiscard]] bool is_gpu_section(const std::string& path);

/// Puts the number that `text` is into `gpu`, and says how a file writes it. Throws ConfigError ("expected ..., got
/// ...", without a place) for what is none, or out of the key's range.
std::string read_gpu_number(const GpuKey& key, const std::string& text, GpuSpec& gpu);

/// Every key as a Markdown table: docs/gpu-file.md contains exactly this.
[[nodiscard]] std::string gpu_file_reference();

/// From base units of the dimension to those of GpuSpec: ns, bytes a ns, cycles a ns, B, pJ, W, plain numbers.
[[nodiscard]] double gpu_scale(Dimension dimension);

}  // namespace kernbench
