// What NetworkPlan::next_link reads: places of nodes and the links out of routers and switches (adr/0016, 16.6-16.9).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

enum class NodeKind : std::uint8_t { kRouter, kSwitch, kPe, kHbm, kSram, kHost };

enum class Direction : std::uint8_t { kEast, kWest, kNorth, kSouth };

/// Linear in the number of nodes and links: a next link is calculated from coordinates.
struct RoutingTables {
  /// Where packets for a node go. x and y count the routers of the whole package; a switch has its package's column and
  /// row instead.
  struct Place {
    std::int32_t package = -1;
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t last_link = -1;  ///< endpoints: the link that leads to it
    NodeKind kind = NodeKind::kRouter;
    bool columns_first_from_it = false;  ///< controllers: data for PEs of the package (64.11)
    bool columns_first_to_it = false;
  };

  std::vector<Place> places;                       ///< by node
  std::vector<std::array<std::int32_t, 4>> ports;  ///< by node, by Direction, -1: none; of a switch: to other packages
  std::vector<std::int32_t> down;                  ///< by package, then by column of its routers: switch -> die
  std::vector<std::int32_t> to_packages;  ///< fully connected: by package; switched: by package, then the first of
                                          ///< the central switch's links
  GridSpec packages;
  PackageArrangement arrangement = PackageArrangement::kRing;
  std::int32_t columns = 0;    ///< of routers in a package
  bool columns_first = false;  ///< some packets go along the column first, in class 1

  [[nodiscard]] std::int32_t port(std::int32_t node, Direction direction) const {
    return ports[static_cast<std::size_t>(node)][static_cast<std::size_t>(direction)];
  }
  /// In a package, packets go along the row first; where some go along the column first, those in class 1.
  [[nodiscard]] std::int32_t next_link(std::int32_t router, std::int32_t destination, std::int32_t channel_class) const;
  /// Of a packet that endpoint `source` sends.
  [[nodiscard]] std::int32_t first_class(std::int32_t source, std::int32_t destination) const {
    if (!columns_first) return 0;
    const Place& from = places[static_cast<std::size_t>(source)];
    const Place& to = places[static_cast<std::size_t>(destination)];
    const bool given = from.columns_first_from_it && to.kind == NodeKind::kPe;
    const bool taken = to.columns_first_to_it && from.kind == NodeKind::kPe;
    return from.package == to.package && (given || taken) ? 1 : 0;
  }

 private:
  [[nodiscard]] std::int32_t next_package_link(std::int32_t node, std::int32_t from, std::int32_t to) const;
};

}  // namespace kernbench
