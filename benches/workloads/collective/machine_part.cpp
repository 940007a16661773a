#include "benches/workloads/collective/machine_part.hpp"

#include <limits>
#include <string>

#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

/// The rectangle of the first `count` cells of a grid that are whole rows, or the beginning of the first.
std::optional<GridShape> first_cells(const GridSpec& grid, std::int64_t count) {
  const auto shape = [](std::int64_t rows, std::int64_t columns) {
    return GridShape{static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns)};
  };
  if (count <= grid.columns) return shape(1, count);
  if (count % grid.columns == 0) return shape(count / grid.columns, grid.columns);
  return std::nullopt;
}

/// Of `count` units that `grid` has in whole cells of `size` units: the cells.
std::optional<GridShape> whole_cells(const GridSpec& grid, std::int64_t count, std::int64_t size) {
  return count % size == 0 ? first_cells(grid, count / size) : std::nullopt;
}

constexpr Names<RanksPer> kUnits{"unit",
                                 {{RanksPer::kPe, "PEs"}, {RanksPer::kDie, "dies"}, {RanksPer::kPackage, "packages"}}};

void check_ranks(const MachineSpec& machine, std::int64_t ranks, RanksPer per) {
  const std::int64_t most = pes_of_system(machine) / pes_of_rank(machine, per);
  if (ranks >= 1 && ranks <= most) return;
  throw ConfigError("expected 1 to " + std::to_string(most) + " ranks, as machine " + machine.name + " has so many " +
                    std::string(kUnits[per]) + ", got " + std::to_string(ranks));
}

GridShape all_of(const GridSpec& grid) { return *first_cells(grid, grid.count()); }
GridSpec spec_of(const GridShape& shape) { return {shape.rows, shape.columns}; }

}  // namespace

std::int64_t pes_of_die(const MachineSpec& machine) { return machine.die.routers.count(); }
std::int64_t pes_of_package(const MachineSpec& machine) { return machine.package.dies.count() * pes_of_die(machine); }
std::int64_t pes_of_system(const MachineSpec& machine) {
  return machine.system.packages.count() * pes_of_package(machine);
}

std::int64_t pes_of_rank(const MachineSpec& machine, RanksPer per) {
  switch (per) {
    case RanksPer::kDie:
      return pes_of_die(machine);
    case RanksPer::kPackage:
      return pes_of_package(machine);
    case RanksPer::kPe:
      break;
  }
  return 1;
}

MachinePart first_pes(const MachineSpec& machine, std::int64_t ranks) {
  check_ranks(machine, ranks, RanksPer::kPe);
  MachinePart part{machine, {{}, {}, {1, static_cast<std::int32_t>(ranks)}}};
  GridSpec& packages = part.machine.system.packages;
  GridSpec& dies = part.machine.package.dies;
  if (ranks <= pes_of_die(machine)) {
    packages = dies = {1, 1};
    if (const auto shape = first_cells(machine.die.routers, ranks)) part.grid.pes = *shape;
  } else if (ranks <= pes_of_package(machine)) {
    packages = {1, 1};
    if (const auto shape = whole_cells(dies, ranks, pes_of_die(machine))) {
      dies = spec_of(*shape);
      part.grid = {{}, *shape, all_of(machine.die.routers)};
    }
  } else if (const auto shape = whole_cells(packages, ranks, pes_of_package(machine))) {
    packages = spec_of(*shape);
    part.grid = {*shape, all_of(dies), all_of(machine.die.routers)};
  }
  return part;
}

MachinePart first_ranks(const MachineSpec& machine, std::int64_t ranks, RanksPer per) {
  if (per == RanksPer::kPe) return first_pes(machine, ranks);
  check_ranks(machine, ranks, per);
  const std::int64_t pes = pes_of_rank(machine, per);
  if (pes_of_system(machine) > std::numeric_limits<std::int32_t>::max()) {
    throw ConfigError("machine " + machine.name + " has more than 2^31 - 1 PEs");
  }
  MachinePart part = first_pes(machine, ranks * pes);
  part.pes_of_rank = static_cast<std::int32_t>(pes);
  part.grid.pes = {};
  if (per == RanksPer::kPackage) part.grid.dies = {};
  if (part.grid.size() != ranks) part.grid = {{}, {}, {1, static_cast<std::int32_t>(ranks)}};
  return part;
}

std::optional<MachinePart> part_by_scale(const MachineSpec& machine, std::string_view scale, RanksPer per) {
  const auto all_of = [&](std::int64_t pes) { return first_ranks(machine, pes / pes_of_rank(machine, per), per); };
  if (scale == "die" && per == RanksPer::kPackage) {
    throw ConfigError("a die is part of a rank where a rank is a package: expected scale package or system, got die");
  }
  if (scale == "die") return all_of(pes_of_die(machine));
  if (scale == "package") return all_of(pes_of_package(machine));
  if (scale == "system") return all_of(pes_of_system(machine));
  return std::nullopt;
}

}  // namespace kernbench
