// Walks the YAML of a GPU's file, of the files it inherits from and the overrides, gathering errors.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/diagnostics.hpp"
#include "sim/machine/gpu/gpu_keys.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/machine/yaml_document.hpp"

namespace kernbench {

/// Used once: read_file, read_override any number of times, finish.
class GpuReader {
 public:
  explicit GpuReader(const std::string& path) : diagnostics_(path), path_(path) {}

  void read_file();
  void read_override(const std::string& assignment);
  /// Throws ConfigError with every error found.
  LoadedGpu finish();

 private:
  struct Given {
    Place place;
    GpuOrigin origin;
  };

  void read_text(const std::string& path, std::size_t file);
  /// By a file that is based on this one: `fp8: null`.
  [[nodiscard]] bool is_dropped(const std::string& section, std::size_t file) const;
  void read_head(const YAML::Node& root, const std::string& path, std::size_t file);
  void read_section(const YAML::Node& node, const std::string& section, const std::string& path, std::size_t file);
  void read_subsection(const YAML::Node& node, const std::string& section, const Place& place, const std::string& path);
  void read_number(const GpuKey& key, const YAML::Node& node, const Place& place, const std::string& path);
  void set(const GpuKey& key, const std::string& text, const Place& place, GpuOrigin origin);
  void take_over_same();
  void report_missing();
  void report_contradictions();
  [[nodiscard]] bool section_given(std::string_view section) const;

  Diagnostics diagnostics_;
  std::string path_;
  LoadedGpu gpu_;
  std::map<std::string, Given> given_;          ///< valid numbers by key
  std::map<std::string, Place> attempted_;      ///< keys met, validly or not
  std::map<std::string, std::size_t> dropped_;  ///< sections, and the file that drops them
  std::string base_;                            ///< of the text just read
  Place base_place_;
  int overrides_ = 0;
  bool incomplete_ = false;  ///< a base could not be read: what is missing is not told
};

}  // namespace kernbench
