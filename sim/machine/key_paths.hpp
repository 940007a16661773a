// Paths of keys and sections ("die.hbm.burst", "die.hbm"; "" is the whole file), and names near to misspelt ones.
#pragma once

#include <string>
#include <string_view>

#include "sim/machine/schema.hpp"

namespace kernbench {

/// A key not of a machine but of its file: which other one that changes (3.14).
inline const std::string kBaseKey = "base";

[[nodiscard]] std::string join_path(const std::string& section, std::string_view name);
/// "die.hbm" of "die.hbm.burst".
[[nodiscard]] std::string section_of(const std::string& path);
[[nodiscard]] bool is_below(std::string_view path, const std::string& section);
[[nodiscard]] bool is_section(const std::string& path);

/// "a, b, c": the names directly in a section.
[[nodiscard]] std::string names_in(const std::string& section);
/// Whether the machine has to say the key.
[[nodiscard]] bool is_needed(const MachineKey& key, const MachineSpec& spec);
/// What is wrong where it does not, `missing` being the key's path, or the section that is missing with it: "missing
/// section; expected the keys ..., as there are several dies".
[[nodiscard]] std::string missing_text(const MachineKey& key, const std::string& missing, const MachineSpec& spec);

/// The path that was meant, directly in the section; "" where none is near.
[[nodiscard]] std::string nearest_sibling(const std::string& section, const std::string& name);
/// The key of another section that was meant where no sibling is near: one of the same name, or of a similar path.
[[nodiscard]] std::string nearest_elsewhere(const std::string& path);

}  // namespace kernbench
