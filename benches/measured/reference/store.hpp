// Where reference data lies and how it is read: one folder a measured device with its card (device.json) and a results
// file a bench, and published/<where> with a results file a bench.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/measured/reference/device.hpp"

namespace kernbench {

/// Below the source tree.
inline constexpr const char* kReferenceFolder = "benches/reference";

/// A folder of reference data. `name` is what read_reference takes: "nvidia-h200" or "published/<where>".
struct ReferenceFolder {
  std::string name;
  bool published = false;
  std::vector<std::string> benches;  ///< of its results files, in order of name: "gpu-copy", "gpu-gemm"
};

/// The file name of a bench's results: "gpu-distributed-gemm" -> "distributed_gemm.json".
[[nodiscard]] std::string reference_file_name(const std::string& bench);

/// Every folder below `root` (kReferenceFolder of a source tree): the devices in order of name, then the published
/// ones. Empty where there is no `root`.
[[nodiscard]] std::vector<ReferenceFolder> all_references(const std::filesystem::path& root);

/// The results of a bench; empty where the folder has none. Throws ConfigError for a file that cannot be read as
/// results of that bench.
[[nodiscard]] std::optional<Results> read_reference(const std::filesystem::path& root, const std::string& name,
                                                    const std::string& bench);

/// The card of a measured device. Throws ConfigError as parse_device does, and where there is none.
[[nodiscard]] Device read_device(const std::filesystem::path& root, const std::string& slug);

}  // namespace kernbench
