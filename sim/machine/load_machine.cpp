// From a path or a text to a LoadedMachine.
#include "sim/machine/load_machine.hpp"

#include <cstddef>

#include "sim/base/read_file.hpp"
#include "sim/base/sha256.hpp"
#include "sim/machine/machine_reader.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLargestMachineFile = std::size_t{1} << 20U;

}  // namespace

LoadedMachine parse_machine(std::string_view yaml_text, std::string_view file_name,
                            const std::vector<std::string>& overrides) {
  MachineReader reader(file_name);
  reader.read_file(yaml_text);
  for (const auto& assignment : overrides) reader.read_override(assignment);
  auto spec = reader.finish();
  auto sha256 = sha256_hex(canonical_form(spec));
  return {std::move(spec), std::move(sha256), reader.left_out()};
}

LoadedMachine load_machine(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_machine(read_file(path, kLargestMachineFile), path, overrides);
}

}  // namespace kernbench
