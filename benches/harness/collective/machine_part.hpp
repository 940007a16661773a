// The part of a machine that takes part in a collective, and where its ranks are (adr/0020).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/collective/rank_grid.hpp"

namespace kernbench {

struct MachinePart {
  MachineSpec machine;  ///< without the packages and dies that have no rank
  RankGrid grid;        ///< rank r is PE r of the machine; one row of PEs where the ranks fill no rectangle
};

/// PEs that a die, a package, the system has.
[[nodiscard]] std::int64_t pes_of_die(const MachineSpec& machine);
[[nodiscard]] std::int64_t pes_of_package(const MachineSpec& machine);
[[nodiscard]] std::int64_t pes_of_system(const MachineSpec& machine);

/// The first `ranks` PEs. Dies and packages are left out as long as the PEs that stay keep their numbers. Throws
/// ConfigError for less than one rank and for more than the machine has PEs.
[[nodiscard]] MachinePart first_pes(const MachineSpec& machine, std::int64_t ranks);

/// All PEs of a die, a package or the system, by these names; nothing for another name.
[[nodiscard]] std::optional<MachinePart> part_by_scale(const MachineSpec& machine, std::string_view scale);

}  // namespace kernbench
