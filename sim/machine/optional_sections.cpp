// The table of them, and the refusal.
#include "sim/machine/optional_sections.hpp"

#include <algorithm>
#include <array>

#include "sim/base/errors.hpp"
#include "sim/machine/key_paths.hpp"

namespace kernbench {

std::span<const OptionalSection> optional_sections() {
  static constexpr std::array kSections{
      OptionalSection{"system.package_link", ""}, OptionalSection{"system.host_link", "system.io_processor_latency"},
      OptionalSection{"package.die_to_die", ""}, OptionalSection{"die.sram", "die.wire.sram_to_router"},
      OptionalSection{"pe.message_queue", ""}};
  return kSections;
}

std::string_view absent_part(const MachineSpec& machine, std::string_view key) {
  for (const std::string& absent : machine.absent) {
    if (key == absent || is_below(key, absent)) return absent;
  }
  return "";
}

bool has_section(const MachineSpec& machine, std::string_view path) {
  return std::ranges::find(machine.absent, path) == machine.absent.end();
}

std::string absence(const MachineSpec& machine, const std::vector<std::string_view>& sections) {
  const auto missing =
      std::ranges::find_if(sections, [&machine](std::string_view section) { return !has_section(machine, section); });
  return missing == sections.end() ? "" : "machine " + machine.name + " has no " + std::string(*missing);
}

const std::vector<std::string_view>& sections_to_host() {
  static const std::vector<std::string_view> kSections{"system.host_link", "system.package_link", "package.die_to_die"};
  return kSections;
}

void require_section(const MachineSpec& machine, std::string_view path, std::string_view what) {
  const std::string missing = absence(machine, {path});
  if (missing.empty()) return;
  throw ConfigError(missing + ", which " + std::string(what) +
                    " needs; expected that section in the machine file, or its keys by --set");
}

}  // namespace kernbench
