// Reading a machine file: YAML text to a checked MachineSpec, or every error in it at once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

struct LoadedMachine {
  MachineSpec spec;
  std::string sha256;  ///< of canonical_form(spec): the same machine has the same hash however its file is written
  std::vector<std::string> bases = {};     ///< files that it inherits from (3.14): its base, the base's and so on
  std::vector<std::string> left_out = {};  ///< sections and keys that stand at their defaults (3.5), in order
  /// What overrides gave: values by key, as a machine file writes them.
  std::map<std::string, std::string> settings = {};
};

/// Reads the machine file at `path`, and those that it inherits from. Each override is "key.path=value", the value
/// written as the file would write it; it replaces the file's value, which is checked all the same. Throws ConfigError
/// with every error found, in file order and then in the order of the overrides, one a line as `file:line:column:
/// key.path: ...` or `--set key.path=value: ...`, and a line that counts them.
LoadedMachine load_machine(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same for text already in memory, which has no base; `file_name` is how messages call it.
LoadedMachine parse_machine(std::string_view yaml_text, std::string_view file_name,
                            const std::vector<std::string>& overrides = {});

/// What `kernbench topology show` prints: every level of the machine with the quantities that follow from its keys.
std::string describe_machine(const MachineSpec& spec);

}  // namespace kernbench
