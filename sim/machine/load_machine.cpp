// From a path or a text to a LoadedMachine.
#include "sim/machine/load_machine.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "sim/base/errors.hpp"
#include "sim/base/sha256.hpp"
#include "sim/machine/machine_reader.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;

std::string read_text(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw ConfigError(path + ": expected a readable machine file, got: " + std::strerror(errno));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile)
    throw ConfigError(path + ": expected a machine file of at most 1 MiB, got a larger one");
  return text;
}

}  // namespace

LoadedMachine parse_machine(std::string_view yaml_text, std::string_view file_name,
                            const std::vector<std::string>& overrides) {
  MachineReader reader(file_name);
  reader.read_file(yaml_text);
  for (const auto& assignment : overrides) reader.read_override(assignment);
  auto spec = reader.finish();
  auto sha256 = sha256_hex(canonical_form(spec));
  return {std::move(spec), std::move(sha256)};
}

LoadedMachine load_machine(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_machine(read_text(path), path, overrides);
}

}  // namespace kernbench
