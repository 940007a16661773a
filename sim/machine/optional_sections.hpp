// Sections of a machine file that a machine may be without, and how what needs one of them asks (adr/0003, 3.13).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

struct OptionalSection {
  std::string_view path;
  /// A key of another section that says something only where this one is there; "" for none.
  std::string_view companion;
};

std::span<const OptionalSection> optional_sections();

/// The section or key that the machine is without and that the key belongs to; "" where there is none.
[[nodiscard]] std::string_view absent_part(const MachineSpec& machine, std::string_view key);

[[nodiscard]] bool has_section(const MachineSpec& machine, std::string_view path);

/// "machine m has no die.sram" of the first of the sections that it is without; "" where it has all.
[[nodiscard]] std::string absence(const MachineSpec& machine, const std::vector<std::string_view>& sections);

/// What traffic with the host passes.
[[nodiscard]] const std::vector<std::string_view>& sections_to_host();

/// Throws ConfigError that names the section and the remedy where the machine is without it; `what` needs it, such as
/// "a collective".
void require_section(const MachineSpec& machine, std::string_view path, std::string_view what);

}  // namespace kernbench
