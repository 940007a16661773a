// A machine's network as data: nodes, links between them, and which link leads where (adr/0016). No SystemC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/block.hpp"
#include "sim/plan/network/node_numbers.hpp"
#include "sim/plan/network/routing_tables.hpp"

namespace kernbench {

/// Where a node is. A switch (IO die) and a host belong to a package; die and router are -1 there. The switch between
/// packages (arrangement `switched`) has package -1 too. An SRAM has the router that it hangs off.
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

/// What a link is part of: values of NetworkLink::dimension.
enum LinkDimension : std::int32_t {
  kEndpointLink,  ///< to or from a PE, memory or host
  kMeshX,         ///< between routers of a package, on a die or from die to die
  kMeshY,
  kUp,    ///< router -> the package's switch
  kDown,  ///< the package's switch -> router
  kPackageX,
  kPackageY
};

/// One direction of a wire. A packet keeps its virtual-channel class unless the link says otherwise: a dateline sets it
/// to 1; else entering another dimension sets it to `entry_class`, where that is not -1.
struct NetworkLink {
  std::int32_t from = 0;
  std::int32_t to = 0;
  Bandwidth bandwidth;
  Picoseconds latency;
  Bytes buffer = 0;  ///< of each virtual channel at the router it leads to; endpoints take everything
  std::int32_t dimension = kEndpointLink;
  std::int8_t entry_class = -1;
  bool dateline = false;
  std::int32_t lanes = 1;  ///< connections that it is made of; bandwidth and buffer are theirs together
  std::string name;        ///< e.g. "package0.die3.router5 -> package0.die3.router6"
};

struct NetworkPlan {
  bool shares_hbm = false;            ///< the PEs of a die have one HBM (adr/0064)
  std::int64_t virtual_channels = 0;  ///< split evenly among the classes
  std::int64_t classes = 1;           ///< that next_class gives; at most virtual_channels
  std::vector<NetworkNode> nodes;
  std::vector<NetworkLink> links;

  RoutingTables routing;
  std::vector<std::int32_t> first_links;  ///< by node: the link on which an endpoint sends; -1 for routers and switches

  /// The link on which a packet of a class for `destination` (an endpoint: PE, memory or host) leaves the router or
  /// switch `router`.
  [[nodiscard]] std::int32_t next_link(std::int32_t router, std::int32_t destination,
                                       std::int32_t channel_class) const {
    return routing.next_link(router, destination, channel_class);
  }
  /// The node of a kind at a place; -1 where there is none, as of an HBM that PEs share. Of an SRAM the router is not
  /// looked at.
  [[nodiscard]] std::int32_t find(NodeKind kind, const NodeLocation& at) const;
  /// Where PE number `pe` is: they are counted package by package, die by die, router by router.
  [[nodiscard]] NodeLocation location_of(std::int32_t pe) const {
    const std::int32_t die = pe / numbers.die_routers;
    return {die / numbers.dies, die % numbers.dies, pe % numbers.die_routers};
  }
  /// The HBM that PE number `pe` has its data in: its partition, or what the PEs of its die share.
  [[nodiscard]] MemoryNode hbm_of(std::int32_t pe) const {
    return shares_hbm ? hbm_of_die(pe / numbers.die_routers) : find(NodeKind::kHbm, location_of(pe));
  }
  /// Nodes of the controllers of a die, by its number in the machine, in their order.
  [[nodiscard]] std::vector<std::int32_t> hbm_controllers(std::int32_t die) const;
  /// The link on which endpoint `node` sends.
  [[nodiscard]] std::int32_t first_link(std::int32_t node) const { return first_links[static_cast<std::size_t>(node)]; }
  [[nodiscard]] const NetworkNode& node(std::int32_t index) const { return nodes[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const NetworkLink& link(std::int32_t index) const { return links[static_cast<std::size_t>(index)]; }
  /// Where a packet is, and where it goes.
  struct Heading {
    std::int32_t at = 0;
    std::int32_t destination = 0;
  };
  /// The same, with the packages turned so that the packet is in package 0. Not with a switch between packages.
  [[nodiscard]] Heading seen_from_first_package(Heading heading) const {
    const auto all = static_cast<std::int32_t>(nodes.size());
    const std::int32_t turned = heading.at - heading.at % numbers.per_package();
    return {heading.at - turned, (heading.destination - turned + all) % all};
  }
  /// From when a packet's head enters a link until it may enter the next; endpoints have no hop.
  [[nodiscard]] Picoseconds latency_over(const NetworkLink& link) const { return link.latency + node(link.to).hop; }

  NodeNumbers numbers;
};

/// Class of a packet that leaves link `in` (null: it has just been injected) for link `out`.
[[nodiscard]] constexpr std::int32_t next_class(const NetworkLink* in, const NetworkLink& out, std::int32_t now) {
  if (out.dateline) return 1;
  const bool turns = in != nullptr && in->dimension != out.dimension;
  return turns && out.entry_class >= 0 ? out.entry_class : now;
}

/// The network of a whole machine. Throws ConfigError where the machine cannot be wired, or where the routes have a
/// cyclic channel dependency: the message shows the cycle.
[[nodiscard]] NetworkPlan plan_network(const MachineSpec& machine);

}  // namespace kernbench
