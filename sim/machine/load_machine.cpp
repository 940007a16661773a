// From a path or a text to a LoadedMachine.
#include "sim/machine/load_machine.hpp"

#include <cstddef>
#include <filesystem>

#include "sim/base/read_file.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/machine_reader.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLargestMachineFile = std::size_t{1} << 20U;

BaseFile open_base(const std::string& base, const std::string& from) {
  const std::filesystem::path path = (std::filesystem::path(from).parent_path() / base).lexically_normal();
  return {path.string(), read_file(path, kLargestMachineFile)};
}

LoadedMachine read_machine(MachineReader reader, std::string_view yaml_text,
                           const std::vector<std::string>& overrides) {
  reader.read_file(yaml_text);
  for (const auto& assignment : overrides) reader.read_override(assignment);
  auto spec = reader.finish();
  auto sha256 = machine_sha256(spec);
  LoadedMachine machine{std::move(spec), std::move(sha256), reader.bases(), reader.left_out()};
  for (const auto& assignment : overrides) {
    const MachineKey& key = machine_key(trimmed(std::string_view(assignment).substr(0, assignment.find('='))));
    machine.settings[std::string(key.path)] = written_value(key, machine.spec);
  }
  return machine;
}

}  // namespace

LoadedMachine parse_machine(std::string_view yaml_text, std::string_view file_name,
                            const std::vector<std::string>& overrides) {
  return read_machine(MachineReader(file_name), yaml_text, overrides);
}

LoadedMachine load_machine(const std::string& path, const std::vector<std::string>& overrides) {
  return read_machine(MachineReader(path, open_base), read_file(path, kLargestMachineFile), overrides);
}

}  // namespace kernbench
