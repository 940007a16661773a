// The part of a machine that takes part in a collective, and where its ranks are (adr/0020).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/base/names.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/plan/collective/rank_grid.hpp"

namespace kernbench {

/// What a rank is.
enum class RanksPer : std::uint8_t { kPe, kDie, kPackage };
inline constexpr Names<RanksPer> kRanksPer{
    "unit of a rank", {{RanksPer::kPe, "pe"}, {RanksPer::kDie, "die"}, {RanksPer::kPackage, "package"}}};

struct MachinePart {
  MachineSpec machine;           ///< without the packages and dies that have no rank
  RankGrid grid;                 ///< of the ranks; one row where they fill no rectangle
  std::int32_t pes_of_rank = 1;  ///< rank r is the machine's PEs [r x pes_of_rank, (r + 1) x pes_of_rank)
  [[nodiscard]] std::int32_t pes() const { return grid.size() * pes_of_rank; }
};

/// PEs that a die, a package, the system has.
[[nodiscard]] std::int64_t pes_of_die(const MachineSpec& machine);
[[nodiscard]] std::int64_t pes_of_package(const MachineSpec& machine);
[[nodiscard]] std::int64_t pes_of_system(const MachineSpec& machine);

/// PEs that a rank has.
[[nodiscard]] std::int64_t pes_of_rank(const MachineSpec& machine, RanksPer per);

/// The first `ranks` PEs. Dies and packages are left out as long as the PEs that stay keep their numbers. Throws
/// ConfigError for less than one rank and for more than the machine has PEs.
[[nodiscard]] MachinePart first_pes(const MachineSpec& machine, std::int64_t ranks);
/// The same of dies or packages, where these are the ranks.
[[nodiscard]] MachinePart first_ranks(const MachineSpec& machine, std::int64_t ranks, RanksPer per);

/// All ranks of a die, a package or the system, by these names; nothing for another name. Throws ConfigError for a die
/// where a rank is a package.
[[nodiscard]] std::optional<MachinePart> part_by_scale(const MachineSpec& machine, std::string_view scale,
                                                       RanksPer per = RanksPer::kPe);

}  // namespace kernbench
