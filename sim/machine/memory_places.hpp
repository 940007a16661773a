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

/// The router that a controller hangs off, counted row by row, and what data do between it and PEs (64.11): their bytes
/// go along the column of routers before they go along the row.
struct ControllerPlace {
  std::int32_t router = 0;
  bool columns_first_from_it = false;
  bool columns_first_to_it = false;
};

/// In the order of the text; an edge is all routers of it, from the west or north on. Of a private memory one for every
/// router. A router may have several.
[[nodiscard]] std::vector<ControllerPlace> controller_places(const DieSpec& die);
[[nodiscard]] std::vector<std::int32_t> controller_routers(const DieSpec& die);
/// Whether the text names an edge.
[[nodiscard]] bool names_an_edge(const DieSpec& die);
[[nodiscard]] std::int64_t controllers_of_die(const DieSpec& die);

/// The first place of the text that is off the mesh; "" where there is none.
[[nodiscard]] std::string place_off_the_mesh(const DieSpec& die);

/// Throws ConfigError where the machine's HBM is shared: `what` needs a partition for each PE.
void require_partitions(const MachineSpec& machine, std::string_view what);

}  // namespace kernbench
