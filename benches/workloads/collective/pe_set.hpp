// PEs of a machine by name: those of a die, a package, the system, or one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

struct PeSet {
  MachineSpec machine;            ///< the part of the machine that is built
  std::vector<std::int32_t> pes;  ///< by number in it; each once, in the order of their ranks
};

/// From "die", "package", "system", or numbers package.die.pe and ranges of them, with commas between: "0.0.0-0.1.3".
/// Throws ConfigError, which names `option`, for what the machine does not have and for a PE named twice.
[[nodiscard]] PeSet parse_pes(const std::string& option, const std::string& text, const MachineSpec& machine);

}  // namespace kernbench
