// Dimension-ordered routing inside a package and between packages.
#include "sim/plan/network/routing_tables.hpp"

namespace kernbench {
namespace {

/// +1 or -1: the way from `from` to `to` in a row of `size`; round the end where that is shorter, + where it is as
/// long. Two in a row have one pair of links, which does not go round.
std::int64_t step(std::int64_t from, std::int64_t to, std::int64_t size, bool wraps) {
  if (!wraps || size == 2) return from < to ? 1 : -1;
  const auto forward = (to - from + size) % size;
  return 2 * forward <= size ? 1 : -1;
}

}  // namespace

std::int32_t RoutingTables::next_link(std::int32_t router, std::int32_t destination, std::int32_t channel_class) const {
  const auto& here = places[static_cast<std::size_t>(router)];
  const auto& there = places[static_cast<std::size_t>(destination)];
  if (here.kind == NodeKind::kSwitch) {
    if (here.package != there.package) return next_package_link(router, here.package, there.package);
    if (there.kind == NodeKind::kHost) return there.last_link;
    const auto column = here.package * columns + there.x;
    return down[static_cast<std::size_t>(column)];
  }
  if (here.package != there.package || there.kind == NodeKind::kHost) {
    return port(router, Direction::kSouth);
  }
  if (here.x == there.x && here.y == there.y) return there.last_link;
  const bool column_comes_first = columns_first && channel_class == 1 && here.y != there.y;
  if (here.x != there.x && !column_comes_first)
    return port(router, here.x < there.x ? Direction::kEast : Direction::kWest);
  return port(router, here.y < there.y ? Direction::kSouth : Direction::kNorth);
}

std::int32_t RoutingTables::next_package_link(std::int32_t node, std::int32_t from, std::int32_t to) const {
  switch (arrangement) {
    case PackageArrangement::kFullyConnected:
      return to_packages[static_cast<std::size_t>(from)] + (to < from ? to : to - 1);
    case PackageArrangement::kSwitched:
      return from < 0 ? to_packages.back() + to : to_packages[static_cast<std::size_t>(from)];
    default:
      break;
  }
  const bool wraps = arrangement != PackageArrangement::kMesh;
  const auto column = to % packages.columns;
  const auto here = from % packages.columns;
  if (here != column) {
    const bool east = step(here, column, packages.columns, wraps) > 0;
    return port(node, east ? Direction::kEast : Direction::kWest);
  }
  const bool south = step(from / packages.columns, to / packages.columns, packages.rows, wraps) > 0;
  return port(node, south ? Direction::kSouth : Direction::kNorth);
}

}  // namespace kernbench
