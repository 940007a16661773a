// Where the controllers of a die's HBM are: one beside every PE, or at routers that the file names (adr/0064).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// As it is kept: "private", or edges (north, south, east, west) and places ("3,0": row 3, column 0) with one blank
/// between. Throws ConfigError for anything else, and for a place or an edge that is named twice.
[[nodiscard]] std::string checked_controllers(std::string_view text);

/// The routers that they hang off, counted row by row, in the order of the text; an edge is all routers of it, from the
/// west or north on. Of a private memory one for every router. A router may have several.
[[nodiscard]] std::vector<std::int32_t> controller_routers(const DieSpec& die);
[[nodiscard]] std::int64_t controllers_of_die(const DieSpec& die);

/// The first place of the text that is off the mesh; "" where there is none.
[[nodiscard]] std::string place_off_the_mesh(const DieSpec& die);

/// Throws ConfigError where the machine's HBM is shared: `what` needs a partition for each PE.
void require_partitions(const MachineSpec& machine, std::string_view what);

}  // namespace kernbench
