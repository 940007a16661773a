// A machine's network as data: nodes, links between them, and which link leads where (adr/0016). No SystemC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

enum class NodeKind : std::uint8_t { kRouter, kSwitch, kPe, kHbm, kSram, kHost };

/// Where a node is. A switch (IO die) and a host belong to a package; die and router are -1 there.
struct NodeLocation {
  std::int32_t package = -1;
  std::int32_t die = -1;     ///< row by row in the package
  std::int32_t router = -1;  ///< row by row on the die
  bool operator==(const NodeLocation&) const = default;
};

struct NetworkNode {
  NodeKind kind = NodeKind::kRouter;
  NodeLocation at;
  std::string name;  ///< e.g. "package0.die3.pe5"
  Picoseconds hop;   ///< routers and switches: from the head's arrival to its departure at the earliest
};

/// One direction of a wire. A packet keeps its virtual-channel class unless the link says otherwise: a dateline sets it
/// to 1; else entering another dimension sets it to `entry_class`, where that is not -1.
struct NetworkLink {
  std::int32_t from = 0;
  std::int32_t to = 0;
  Bandwidth bandwidth;
  Picoseconds latency;
  Bytes buffer = 0;  ///< of each virtual channel at the router it leads to; endpoints take everything
  std::int32_t dimension = 0;
  std::int8_t entry_class = -1;
  bool dateline = false;
  std::string name;  ///< e.g. "package0.die3.router5 -> package0.die3.router6"
};

struct NetworkPlan {
  std::int64_t virtual_channels = 0;  ///< split evenly among the classes
  std::int64_t classes = 1;           ///< virtual-channel classes that the routes use
  std::vector<NetworkNode> nodes;
  std::vector<NetworkLink> links;

  /// The link on which a packet for `destination` leaves router `router`.
  [[nodiscard]] std::int32_t next_link(std::int32_t router, std::int32_t destination) const;
  /// The node of a kind at a place; -1 where there is none.
  [[nodiscard]] std::int32_t find(NodeKind kind, const NodeLocation& at) const;

  // Routing tables: filled by plan_network.
};

/// Class of a packet that leaves link `in` (null: it has just been injected, class 0) for link `out`.
[[nodiscard]] constexpr std::int32_t next_class(const NetworkLink* in, const NetworkLink& out, std::int32_t now) {
  if (out.dateline) return 1;
  const bool turns = in != nullptr && in->dimension != out.dimension;
  return turns && out.entry_class >= 0 ? out.entry_class : now;
}

/// The network of a whole machine. Throws ConfigError where the machine cannot be wired, or where the routes have a
/// cyclic channel dependency: the message shows the cycle.
[[nodiscard]] NetworkPlan plan_network(const MachineSpec& machine);

}  // namespace kernbench
