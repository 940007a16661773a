// Whether the buffers of a machine's network have room enough for packets of the size it is simulated with
// (adr/0020, 20.14).
#pragma once

#include <string>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// A warning for each kind of link whose buffer holds fewer packets than an unbroken flow over it needs (21.5). Each
/// names the key, what the buffer holds, what it would need, and the cure.
[[nodiscard]] std::vector<std::string> buffer_warnings(const MachineSpec& machine);

}  // namespace kernbench
