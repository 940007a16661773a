// Reading a GPU's file: YAML text to a checked GpuSpec that knows how each number was obtained, or every error at once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/machine/gpu/gpu_keys.hpp"
#include "sim/machine/gpu/gpu_spec.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {

/// How a number was obtained. `kSame`: it is another key's, which the note names; `kSet`: by --set.
enum class NumberSource { kDataSheet, kPublished, kProbe, kFit, kAssumed, kSame, kSet };
inline constexpr Names<NumberSource> kNumberSources{"source",
                                                    {{NumberSource::kDataSheet, "data_sheet"},
                                                     {NumberSource::kPublished, "published"},
                                                     {NumberSource::kProbe, "probe"},
                                                     {NumberSource::kFit, "fit"},
                                                     {NumberSource::kAssumed, "assumed"},
                                                     {NumberSource::kSame, "same"},
                                                     {NumberSource::kSet, "set"}}};

struct GpuOrigin {
  NumberSource from = NumberSource::kAssumed;
  std::string note;     ///< which rows, which page, why
  std::string written;  ///< the value as a file writes it
  std::string file;     ///< that said so
};

struct LoadedGpu {
  GpuSpec spec;
  std::string sha256;  ///< of names and values: how a number was obtained does not change the machine
  std::vector<std::string> bases = {};
  std::map<std::string, GpuOrigin> origins = {};  ///< by key
  /// The device of benches/reference that it describes, "nvidia-h200"; empty: none was measured. Not a base's.
  std::string device = {};
  /// CSV of the products that its numbers were fitted to, columns m, k, n and dtype; empty: none. Not a base's.
  std::string fitted_to = {};
};

/// Whether the file says `kind: gpu`, itself or by its base; false for what cannot be read.
[[nodiscard]] bool is_gpu_file(const std::string& path);

/// Reads the file at `path` and those that it inherits from; overrides are "key.path=value". Throws ConfigError with
/// every error found, a line each.
[[nodiscard]] LoadedGpu load_gpu(const std::string& path, const std::vector<std::string>& overrides = {});

/// The GPU as a machine, for benches and pages that take one.
[[nodiscard]] LoadedMachine as_machine(LoadedGpu loaded);
[[nodiscard]] LoadedMachine load_gpu_machine(const std::string& path, const std::vector<std::string>& overrides = {});

/// The GPU with another number of a key that it has, as --set gives it: numbers that are the same as it follow. Throws
/// ConfigError ("expected ..., got ...", without a place) for what is none, or out of the key's range; numbers that
/// contradict each other are told by gpu_contradictions().
[[nodiscard]] LoadedGpu with_gpu_value(LoadedGpu gpu, const GpuKey& key, const std::string& text);

/// Every key with its value and how it was obtained, for `kernbench topology show`.
[[nodiscard]] std::string describe_gpu(const LoadedGpu& gpu);

}  // namespace kernbench
