#include "benches/harness/collective/machine_part.hpp"

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

GridShape all_of(const GridSpec& grid) { return *first_cells(grid, grid.count()); }
GridSpec spec_of(const GridShape& shape) { return {shape.rows, shape.columns}; }

}  // namespace

std::int64_t pes_of_die(const MachineSpec& machine) { return machine.die.routers.count(); }
std::int64_t pes_of_package(const MachineSpec& machine) { return machine.package.dies.count() * pes_of_die(machine); }
std::int64_t pes_of_system(const MachineSpec& machine) {
  return machine.system.packages.count() * pes_of_package(machine);
}

MachinePart first_pes(const MachineSpec& machine, std::int64_t ranks) {
  if (ranks < 1 || ranks > pes_of_system(machine)) {
    throw ConfigError("expected 1 to " + std::to_string(pes_of_system(machine)) + " ranks, as machine " + machine.name +
                      " has so many PEs, got " + std::to_string(ranks));
  }
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

std::optional<MachinePart> part_by_scale(const MachineSpec& machine, std::string_view scale) {
  if (scale == "die") return first_pes(machine, pes_of_die(machine));
  if (scale == "package") return first_pes(machine, pes_of_package(machine));
  if (scale == "system") return first_pes(machine, pes_of_system(machine));
  return std::nullopt;
}

}  // namespace kernbench
