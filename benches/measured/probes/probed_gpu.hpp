// From findings of probes to a GPU's file: which number each key takes, and the file's text (adr/0054).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/io/text/table.hpp"
#include "benches/measured/probes/probe_findings.hpp"

namespace kernbench {

/// A number of the file, with what it was chosen from.
struct ChosenNumber {
  std::string key;
  GpuOrigin origin;    ///< as the file says it; `written` is the value also where it is another key's
  std::string base;    ///< the base's value
  std::string probed;  ///< the probe's, "" where there is none
  double apart = 0;    ///< probed / base - 1, where both are there and the base's is not 0
  bool taken = false;  ///< the probe's
};

struct ChoiceOptions {
  std::vector<std::string> take;  ///< keys whose probe is taken though it measures something else; "all"
  std::vector<std::string> keep;  ///< keys that stay the base's
};

/// Every key that the base has, in the order of the reference. Throws ConfigError for a key in `options` that there is
/// not, or that no probe measured.
[[nodiscard]] std::vector<ChosenNumber> choose_numbers(const std::vector<ProbeFinding>& findings, const LoadedGpu& base,
                                                       const ChoiceOptions& options);

/// The YAML of a file of these; `comment` is its first line.
[[nodiscard]] std::string format_gpu_file(const std::vector<ChosenNumber>& numbers, const std::string& name,
                                          const std::string& comment);

/// Each number beside the base's, and which was taken.
[[nodiscard]] Table choice_table(const std::vector<ChosenNumber>& numbers);

/// Writes a GPU's file whole: it is read back before it takes its name. Throws ConfigError with what is wrong in it.
void write_gpu_file(const std::filesystem::path& path, const std::string& text);

}  // namespace kernbench
