// The way of a packet over a mesh of flit routers: along its row to the column of the receiver, then along the column;
// for several receivers a tree of such ways (adr/0017).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/hw/noc/flit_router.hpp"

namespace kernbench {

/// The port by which a packet for `destination` leaves the router of `node`.
inline FlitPort flit_port(std::int32_t columns, std::int32_t node, std::int32_t destination) {
  const std::int32_t column = node % columns;
  const std::int32_t to_column = destination % columns;
  if (to_column != column) return to_column > column ? kEast : kWest;
  if (destination == node) return kNode;
  return destination > node ? kSouth : kNorth;
}

/// The ways from one node to several, a link that several of them take once.
class FlitTree {
 public:
  FlitTree(std::int32_t columns, std::int32_t source, const std::vector<std::int32_t>& receivers) {
    std::map<std::int32_t, std::uint8_t> ports;
    for (const std::int32_t receiver : receivers) {
      ports[receiver] |= bit(kNode);
      for (std::int32_t at = receiver; at != source;) {  // back to where another way has been
        const std::int32_t before = router_before(columns, source, at);
        std::uint8_t& of_before = ports[before];
        const std::uint8_t to_here = bit(flit_port(columns, before, at));
        if ((of_before & to_here) != 0) break;
        of_before |= to_here;
        at = before;
      }
    }
    ports_.assign(ports.begin(), ports.end());
  }

  /// The routers that the packet visits, and the ports by which it leaves them.
  [[nodiscard]] const std::vector<std::pair<std::int32_t, std::uint8_t>>& routers() const { return ports_; }

  /// Those by which the packet leaves the router of a node that it visits, a bit each.
  [[nodiscard]] std::uint8_t ports(std::int32_t node) const {
    return std::ranges::lower_bound(ports_, node, {}, &std::pair<std::int32_t, std::uint8_t>::first)->second;
  }

 private:
  static std::uint8_t bit(FlitPort port) { return static_cast<std::uint8_t>(1U << port); }
  /// Columns are gone along last.
  static std::int32_t router_before(std::int32_t columns, std::int32_t source, std::int32_t node) {
    const std::int32_t row = node / columns;
    const std::int32_t of_source = source / columns;
    if (row != of_source) return row > of_source ? node - columns : node + columns;
    return node > source ? node - 1 : node + 1;
  }

  std::vector<std::pair<std::int32_t, std::uint8_t>> ports_;  // by router
};

}  // namespace kernbench
