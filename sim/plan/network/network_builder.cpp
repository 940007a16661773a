// One pass over the nodes, one over the routers and switches, which adds their links and their routing table's lines.
#include "sim/plan/network/network_builder.hpp"

#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "sim/machine/memory_places.hpp"
#include "sim/plan/network/network_size.hpp"

namespace kernbench {
namespace {

constexpr auto kEast = static_cast<std::size_t>(Direction::kEast);
constexpr auto kWest = static_cast<std::size_t>(Direction::kWest);
constexpr auto kNorth = static_cast<std::size_t>(Direction::kNorth);
constexpr auto kSouth = static_cast<std::size_t>(Direction::kSouth);

/// What links of one kind have in common.
struct LinkKind {
  Bandwidth bandwidth;
  Picoseconds latency;
  Bytes buffer = 0;
  LinkDimension dimension = kEndpointLink;
  std::int8_t entry_class = -1;
  std::int64_t lanes = 1;
};

class NetworkBuilder {
 public:
  explicit NetworkBuilder(const MachineSpec& machine)
      : machine_(machine),
        hbm_routers_(controller_routers(machine.die)),
        numbers_{count(machine.package.dies), count(machine.die.routers),
                 static_cast<std::int32_t>(hbm_routers_.size())},
        packages_(count(machine.system.packages)),
        columns_(static_cast<std::int32_t>(machine.package.dies.columns * machine.die.routers.columns)),
        rows_(static_cast<std::int32_t>(machine.package.dies.rows * machine.die.routers.rows)) {}

  NetworkPlan build() {
    plan_.virtual_channels = machine_.die.router.virtual_channels;
    plan_.numbers = numbers_;
    plan_.shares_hbm = machine_.die.hbm.shared();
    plan_.routing.packages = machine_.system.packages;
    plan_.routing.arrangement = machine_.system.arrangement;
    plan_.routing.columns = columns_;
    plan_.routing.columns_first = machine_.die.hbm.routing == MemoryRouting::kPerpendicular;
    const NetworkSize size = network_size(machine_);
    plan_.classes = size.classes;
    plan_.nodes.reserve(static_cast<std::size_t>(size.nodes));
    plan_.routing.places.reserve(plan_.nodes.capacity());
    plan_.links.reserve(static_cast<std::size_t>(size.links));
    for (std::int32_t package = 0; package < packages_; ++package) add_nodes(package);
    const bool central = packages_ > 1 && machine_.system.arrangement == PackageArrangement::kSwitched;
    if (central) add_node(NodeKind::kSwitch, {}, 0, 0, "system.switch", machine_.system.package_switch);
    plan_.routing.ports.assign(plan_.nodes.size(), {-1, -1, -1, -1});
    plan_.first_links.assign(plan_.nodes.size(), -1);
    for (std::int32_t package = 0; package < packages_; ++package) add_links(package);
    if (packages_ > 1) add_package_links();
    return std::move(plan_);
  }

 private:
  static std::int32_t count(const GridSpec& grid) { return static_cast<std::int32_t>(grid.count()); }

  [[nodiscard]] std::int32_t first_of(std::int32_t package) const { return package * numbers_.per_package(); }
  [[nodiscard]] std::int32_t switch_of(std::int32_t package) const { return first_of(package) + numbers_.io_switch(); }

  /// The router in row y and column x of the package's mesh.
  [[nodiscard]] std::int32_t router_at(std::int32_t package, std::int32_t x, std::int32_t y) const {
    const auto die_columns = static_cast<std::int32_t>(machine_.die.routers.columns);
    const auto die_rows = static_cast<std::int32_t>(machine_.die.routers.rows);
    const auto dies_in_row = static_cast<std::int32_t>(machine_.package.dies.columns);
    const auto die = y / die_rows * dies_in_row + x / die_columns;
    return first_of(package) + numbers_.router(die, y % die_rows * die_columns + x % die_columns);
  }

  void add_node(NodeKind kind, NodeLocation at, std::int32_t x, std::int32_t y, std::string name,
                Picoseconds hop = {}) {
    plan_.nodes.push_back({kind, at, std::move(name), hop});
    plan_.routing.places.push_back({at.package, x, y, -1, kind});
  }

  /// One node of `kind` on each of these routers of every die of a package.
  void add_on(const std::vector<std::int32_t>& on, NodeKind kind, std::int32_t package, const char* name,
              Picoseconds hop) {
    const auto& routers = machine_.die.routers;
    const auto& dies = machine_.package.dies;
    for (std::int32_t die = 0; die < numbers_.dies; ++die) {
      const auto prefix = die_name(package, die) + name;
      for (std::size_t number = 0; number < on.size(); ++number) {
        const std::int32_t router = on[number];
        const auto x = die % dies.columns * routers.columns + router % routers.columns;
        const auto y = die / dies.columns * routers.rows + router / routers.columns;
        add_node(kind, {package, die, router}, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                 prefix + std::to_string(number), hop);
      }
    }
  }

  static std::string package_name(std::int32_t package) { return "package" + std::to_string(package); }
  static std::string die_name(std::int32_t package, std::int32_t die) {
    return package_name(package) + ".die" + std::to_string(die);
  }

  /// Of data from and to the controllers.
  void turn_routes(std::int32_t package) {
    const std::vector<ControllerPlace> controllers = controller_places(machine_.die);
    for (std::int32_t die = 0; die < numbers_.dies; ++die) {
      for (std::int32_t at = 0; at < numbers_.die_hbms; ++at) {
        const ControllerPlace& controller = controllers[static_cast<std::size_t>(at)];
        auto& place = plan_.routing.places[static_cast<std::size_t>(first_of(package) + numbers_.hbm(die, at))];
        place.columns_first_from_it = controller.columns_first_from_it;
        place.columns_first_to_it = controller.columns_first_to_it;
      }
    }
  }

  /// In the order of NodeNumbers.
  void add_nodes(std::int32_t package) {
    std::vector<std::int32_t> routers(static_cast<std::size_t>(numbers_.die_routers));
    std::iota(routers.begin(), routers.end(), 0);
    add_on(routers, NodeKind::kRouter, package, ".router", machine_.die.router.hop);
    add_on(routers, NodeKind::kPe, package, ".pe", {});
    add_on(hbm_routers_, NodeKind::kHbm, package, ".hbm", {});
    if (plan_.routing.columns_first) turn_routes(package);
    const auto router = static_cast<std::int32_t>(machine_.die.sram.router);
    for (std::int32_t die = 0; die < numbers_.dies; ++die) {
      const auto at = first_of(package) + numbers_.router(die, router);
      const auto place = plan_.routing.places[static_cast<std::size_t>(at)];
      add_node(NodeKind::kSram, {package, die, router}, place.x, place.y, die_name(package, die) + ".sram");
    }
    const auto columns = static_cast<std::int32_t>(machine_.system.packages.columns);
    const auto x = package % columns;
    const auto y = package / columns;
    add_node(NodeKind::kSwitch, {package}, x, y, package_name(package) + ".switch", machine_.system.package_switch);
    add_node(NodeKind::kHost, {package}, x, y, package_name(package) + ".host");
  }

  std::int32_t add_link(std::int32_t from, std::int32_t to, const LinkKind& kind) {
    plan_.links.push_back({from,
                           to,
                           {kind.lanes * kind.bandwidth.bytes_per_second},
                           kind.latency,
                           kind.lanes * kind.buffer,
                           kind.dimension,
                           plan_.classes > 1 ? kind.entry_class : std::int8_t{-1},
                           false,
                           static_cast<std::int32_t>(kind.lanes),
                           plan_.node(from).name + " -> " + plan_.node(to).name});
    return static_cast<std::int32_t>(plan_.links.size()) - 1;
  }

  /// Both directions between an endpoint and its router or switch.
  void add_endpoint(std::int32_t endpoint, std::int32_t router, LinkKind kind) {
    plan_.first_links[static_cast<std::size_t>(endpoint)] = add_link(endpoint, router, kind);
    kind.buffer = 0;
    plan_.routing.places[static_cast<std::size_t>(endpoint)].last_link = add_link(router, endpoint, kind);
  }

  [[nodiscard]] LinkKind on_die(std::int64_t um) const {
    return {machine_.die.router.link, machine_.die.wire.delay(um), machine_.die.router.buffer, kEndpointLink, -1};
  }

  void add_hbm(std::int32_t first, std::int32_t die, std::int32_t at) {
    add_endpoint(first + numbers_.hbm(die, at),
                 first + numbers_.router(die, hbm_routers_[static_cast<std::size_t>(at)]),
                 on_die(machine_.die.wire.hbm_to_router_um));
  }

  void add_links(std::int32_t package) {
    const auto first = first_of(package);
    const auto& wire = machine_.die.wire;
    for (std::int32_t die = 0; die < numbers_.dies; ++die) {
      for (std::int32_t at = 0; at < numbers_.die_routers; ++at) {
        add_endpoint(first + numbers_.pe(die, at), first + numbers_.router(die, at), on_die(wire.pe_to_router_um));
        if (!machine_.die.hbm.shared()) add_hbm(first, die, at);
      }
      for (std::int32_t at = 0; machine_.die.hbm.shared() && at < numbers_.die_hbms; ++at) add_hbm(first, die, at);
      const auto router = static_cast<std::int32_t>(machine_.die.sram.router);
      add_endpoint(first + numbers_.sram(die), first + numbers_.router(die, router), on_die(wire.sram_to_router_um));
    }
    for (std::int32_t y = 0; y < rows_; ++y) {
      for (std::int32_t x = 0; x < columns_; ++x) add_mesh_links(package, x, y);
    }
    const auto io = switch_of(package);
    for (std::int32_t x = 0; x < columns_; ++x) {
      auto kind = die_to_die(kDown, machine_.die.routers.columns);
      kind.entry_class = 1;
      plan_.routing.down.push_back(add_link(io, router_at(package, x, rows_ - 1), kind));
    }
    const auto& system = machine_.system;
    add_endpoint(first + numbers_.host(), io,
                 {system.host_link, system.host_link_latency, system.package_link_buffer, kEndpointLink, -1});
  }

  /// The connections of one of `routers` routers on a side of a die, ganged (16.10).
  [[nodiscard]] LinkKind die_to_die(LinkDimension dimension, std::int64_t routers) const {
    const auto& spec = machine_.package.die_to_die;
    return {spec.bandwidth, 2 * spec.port, spec.buffer, dimension, -1, spec.connections_of_router(routers)};
  }

  void add_mesh_links(std::int32_t package, std::int32_t x, std::int32_t y) {
    const auto router = router_at(package, x, y);
    auto& ports = plan_.routing.ports[static_cast<std::size_t>(router)];
    const auto to = [&](LinkDimension dimension, std::int32_t to_x, std::int32_t to_y) {
      if (to_x < 0 || to_x == columns_ || to_y < 0) return -1;
      const auto& spec = machine_.die;
      const auto beside = dimension == kMeshX ? spec.routers.rows : spec.routers.columns;
      if (to_y == rows_) return add_link(router, switch_of(package), die_to_die(kUp, beside));
      const auto neighbour = router_at(package, to_x, to_y);
      if (plan_.node(neighbour).at.die != plan_.node(router).at.die) {
        return add_link(router, neighbour, die_to_die(dimension, beside));
      }
      return add_link(
          router, neighbour,
          {spec.router.link, spec.wire.delay(spec.wire.router_to_router_um), spec.router.buffer, dimension, -1});
    };
    ports[kEast] = to(kMeshX, x + 1, y);
    ports[kWest] = to(kMeshX, x - 1, y);
    ports[kNorth] = to(kMeshY, x, y - 1);
    ports[kSouth] = to(kMeshY, x, y + 1);
  }

  void add_package_links() {
    auto& to_packages = plan_.routing.to_packages;
    const auto link = [&](std::int32_t from, std::int32_t to) { return add_link(from, to, between(kPackageX)); };
    switch (machine_.system.arrangement) {
      case PackageArrangement::kFullyConnected:
        for (std::int32_t from = 0; from < packages_; ++from) {
          to_packages.push_back(static_cast<std::int32_t>(plan_.links.size()));
          for (std::int32_t to = 0; to < packages_; ++to) {
            if (to != from) link(switch_of(from), switch_of(to));
          }
        }
        return;
      case PackageArrangement::kSwitched: {
        const auto central = static_cast<std::int32_t>(plan_.nodes.size()) - 1;
        for (std::int32_t p = 0; p < packages_; ++p) to_packages.push_back(link(switch_of(p), central));
        to_packages.push_back(static_cast<std::int32_t>(plan_.links.size()));
        for (std::int32_t p = 0; p < packages_; ++p) link(central, switch_of(p));
        return;
      }
      default:
        for (std::int32_t package = 0; package < packages_; ++package) add_grid_links(package);
    }
  }

  [[nodiscard]] LinkKind between(LinkDimension dimension) const {
    const auto& system = machine_.system;
    return {system.package_link, system.package_link_latency, system.package_link_buffer, dimension, 0};
  }

  /// Links from one package to its neighbours in a ring, mesh or torus of packages. Two in a row have one pair of
  /// links.
  void add_grid_links(std::int32_t package) {
    const bool wraps = machine_.system.arrangement != PackageArrangement::kMesh;
    const auto columns = static_cast<std::int32_t>(machine_.system.packages.columns);
    const auto rows = static_cast<std::int32_t>(machine_.system.packages.rows);
    auto& ports = plan_.routing.ports[static_cast<std::size_t>(switch_of(package))];
    const auto to = [&](LinkDimension dimension, std::int32_t at, std::int32_t step, std::int32_t size,
                        std::int32_t stride) {
      const bool round = at + step < 0 || at + step == size;
      if (round && (!wraps || size <= 2)) return -1;
      const auto neighbour = package + ((at + step + size) % size - at) * stride;
      const auto link = add_link(switch_of(package), switch_of(neighbour), between(dimension));
      plan_.links.back().dateline = round && plan_.classes > 1;
      return link;
    };
    ports[kEast] = to(kPackageX, package % columns, 1, columns, 1);
    ports[kWest] = to(kPackageX, package % columns, -1, columns, 1);
    ports[kNorth] = to(kPackageY, package / columns, -1, rows, columns);
    ports[kSouth] = to(kPackageY, package / columns, 1, rows, columns);
  }

  const MachineSpec& machine_;
  std::vector<std::int32_t> hbm_routers_;  ///< by controller of a die
  NodeNumbers numbers_;
  std::int32_t packages_;
  std::int32_t columns_;  ///< of routers in a package
  std::int32_t rows_;
  NetworkPlan plan_;
};

}  // namespace

NetworkPlan build_network(const MachineSpec& machine) { return NetworkBuilder(machine).build(); }

}  // namespace kernbench
