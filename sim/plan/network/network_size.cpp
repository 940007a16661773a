#include "sim/plan/network/network_size.hpp"

#include <array>

#include "sim/machine/memory_places.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {
namespace {

/// Pairs of neighbours, in one direction.
struct Neighbours {
  std::int64_t in_a_die = 0;
  std::int64_t across = 0;  ///< on two dies
};

/// Along lines of `dies` x `routers` routers.
Neighbours neighbours(std::int64_t lines, std::int64_t dies, std::int64_t routers) {
  return {lines * dies * (routers - 1), lines * (dies - 1)};
}

std::int64_t links_of_package(const MachineSpec& machine) {
  const auto& dies = machine.package.dies;
  const auto& routers = machine.die.routers;
  const auto mesh_columns = dies.columns * routers.columns;
  const auto [in_rows, across_rows] = neighbours(dies.rows * routers.rows, dies.columns, routers.columns);
  const auto [in_columns, across_columns] = neighbours(mesh_columns, dies.rows, routers.rows);
  const auto die_to_die = across_rows + across_columns + mesh_columns;  // the last: down to the switch
  const auto endpoints = dies.count() * (routers.count() + controllers_of_die(machine.die) + 1) + 1;
  return 2 * (endpoints + in_rows + in_columns + die_to_die);
}

std::int64_t links_between_packages(const SystemSpec& system) {
  const auto packages = system.packages.count();
  const auto [rows, columns] = system.packages;
  const bool wraps = system.arrangement != PackageArrangement::kMesh;
  const auto in_line = [wraps](std::int64_t length) {  // of packages; two have one pair of links
    return wraps && length > 2 ? 2 * length : 2 * (length - 1);
  };
  switch (system.arrangement) {
    case PackageArrangement::kFullyConnected:
      return packages * (packages - 1);
    case PackageArrangement::kSwitched:
      return packages > 1 ? 2 * packages : 0;
    default:
      return rows * in_line(columns) + columns * in_line(rows);
  }
}

// A name such as "package0.die3.router5 -> package0.die3.router6" lies outside its std::string, with what the
// allocator adds; so does a node's.
constexpr std::int64_t kNodeName = 48;
constexpr std::int64_t kLinkName = 80;

}  // namespace

NetworkSize network_size(const MachineSpec& machine) {
  const auto packages = machine.system.packages.count();
  const auto dies = machine.package.dies.count();
  const auto routers = dies * machine.die.routers.count();
  const bool central = packages > 1 && machine.system.arrangement == PackageArrangement::kSwitched;
  NetworkSize size;
  size.nodes = packages * (2 * routers + dies * (controllers_of_die(machine.die) + 1) + 2) + (central ? 1 : 0);
  size.switching = packages * (routers + 1) + (central ? 1 : 0);
  size.links = packages * links_of_package(machine) + links_between_packages(machine.system);
  const bool two = packages > 1 || machine.die.hbm.routing == MemoryRouting::kPerpendicular;
  size.classes = two && machine.die.router.virtual_channels > 1 ? 2 : 1;
  return size;
}

MemoryEstimate network_memory(const MachineSpec& machine) {
  const NetworkSize size = network_size(machine);
  constexpr auto kNode = sizeof(NetworkNode) + sizeof(RoutingTables::Place) + sizeof(std::array<std::int32_t, 4>) +
                         sizeof(std::int32_t) + kNodeName;
  constexpr auto kLink = sizeof(NetworkLink) + kLinkName;
  constexpr std::int64_t kCheckedChannel = 16;  // what the check for deadlocks keeps of it
  MemoryEstimate estimate;
  estimate.add("nodes of the network", size.nodes, kNode);
  estimate.add("links of the network", size.links, kLink + static_cast<std::size_t>(size.classes * kCheckedChannel));
  return estimate;
}

}  // namespace kernbench
