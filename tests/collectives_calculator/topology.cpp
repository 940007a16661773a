#include "tests/collectives_calculator/topology.hpp"

#include <cstdlib>

namespace calc {

Topology::Topology(const Machine& machine)
    : machine_(machine),
      per_package_(machine.pes_per_package()),
      classes_(machine.packages.count() > 1 && machine.virtual_channels > 1 ? 2 : 1) {
  add_nodes();
  link_to_.resize(nodes_.size());
  for (int p = 0; p < machine_.packages.count(); ++p) {  // 16.16
    add_die_links(p);
    add_mesh_links(p);
  }
  add_package_links();
}

void Topology::add_nodes() {
  const int dies = machine_.dies.count(), per_die = machine_.pes_per_die();
  for (int p = 0; p < machine_.packages.count(); ++p) {
    const auto add_node = [&](NodeKind kind, int die, int place) {
      const int row = die / machine_.dies.columns * machine_.routers.rows + place / machine_.routers.columns;
      const int column = die % machine_.dies.columns * machine_.routers.columns + place % machine_.routers.columns;
      nodes_.push_back({kind, p, die, place, row, column});
    };
    for (const NodeKind kind : {NodeKind::router, NodeKind::pe, NodeKind::hbm})
      for (int i = 0; i < per_package_; ++i) add_node(kind, i / per_die, i % per_die);
    for (int d = 0; d < dies; ++d) add_node(NodeKind::sram, d, machine_.sram_router);
    add_node(NodeKind::package_switch, 0, 0);
    add_node(NodeKind::host, 0, 0);
  }
  if (machine_.arrangement == Arrangement::switched) nodes_.push_back({NodeKind::system_switch, -1, 0, 0, 0, 0});
}

int Topology::router_node(int package, int row, int column) const {
  const Grid& routers = machine_.routers;
  const int die = row / routers.rows * machine_.dies.columns + column / routers.columns;
  return base(package) + die * routers.count() + row % routers.rows * routers.columns + column % routers.columns;
}

int Topology::pe(int number) const { return base(number / per_package_) + per_package_ + number % per_package_; }
int Topology::hbm(int number) const { return pe(number) + per_package_; }

int Topology::sram_of(int pe_number) const {
  const int in_package = pe_number % per_package_;
  return base(pe_number / per_package_) + 3 * per_package_ + in_package / machine_.pes_per_die();
}

bool Topology::switches(int node) const {
  const NodeKind kind = nodes_[node].kind;
  return kind == NodeKind::router || kind == NodeKind::package_switch || kind == NodeKind::system_switch;
}

Time Topology::hop(int node) const {
  if (!switches(node)) return 0;
  return nodes_[node].kind == NodeKind::router ? machine_.router_hop : machine_.switch_hop;
}

void Topology::add(int from, int to, Wiring wiring, int dimension, bool goes_round) {
  link_to_[from].emplace(to, static_cast<int>(links_.size()));
  links_.push_back({from, to, wiring, dimension, goes_round});
}

void Topology::add_die_links(int package) {  // 16.3, 16.16 (a)
  const auto both = [&](int end, int router, Time latency) {
    const Wiring wiring{machine_.router_bandwidth, latency, machine_.router_buffer};
    add(end, router, wiring);
    add(router, end, wiring);
  };
  for (int d = 0; d < machine_.dies.count(); ++d) {
    const int first = base(package) + d * machine_.pes_per_die();
    for (int r = 0; r < machine_.pes_per_die(); ++r) {
      both(first + r + per_package_, first + r, machine_.pe_wire);
      both(first + r + 2 * per_package_, first + r, machine_.hbm_wire);
    }
    both(base(package) + 3 * per_package_ + d, first + machine_.sram_router, machine_.sram_wire);
  }
}

void Topology::add_mesh_links(int package) {  // 16.3, 16.4, 16.5, 16.16 (b) to (d)
  const Wiring inside{machine_.router_bandwidth, machine_.router_wire, machine_.router_buffer};
  const auto crossing = [&](int along) {  // 16.10: ganged connections
    const int n = machine_.die_to_die_connections / along;
    const Wiring& one = machine_.die_to_die;
    return Wiring{n * one.bandwidth, 2 * one.latency, n * one.buffer};
  };
  const Wiring sideways = crossing(machine_.routers.rows), up_down = crossing(machine_.routers.columns);
  const auto die_row = [&](int row) { return row / machine_.routers.rows; };
  const auto die_column = [&](int column) { return column / machine_.routers.columns; };
  for (int row = 0; row < mesh_rows(); ++row) {
    for (int column = 0; column < mesh_columns(); ++column) {
      const int here = router_node(package, row, column);
      const auto beside = [&](int other) {
        if (other < 0 || other >= mesh_columns()) return;
        add(here, router_node(package, row, other), die_column(other) == die_column(column) ? inside : sideways);
      };
      beside(column + 1);
      beside(column - 1);
      if (row > 0)
        add(here, router_node(package, row - 1, column), die_row(row - 1) == die_row(row) ? inside : up_down);
      if (row + 1 < mesh_rows())
        add(here, router_node(package, row + 1, column), die_row(row + 1) == die_row(row) ? inside : up_down);
      else
        add(here, switch_node(package), up_down);
    }
  }
  for (int column = 0; column < mesh_columns(); ++column)
    add(switch_node(package), router_node(package, mesh_rows() - 1, column), up_down);
  add(host(package), switch_node(package), machine_.host_link);
  add(switch_node(package), host(package), machine_.host_link);
}

void Topology::add_package_links() {  // 16.6
  const Grid& grid = machine_.packages;
  const Wiring& wiring = machine_.package_link;
  const bool closed = machine_.arrangement == Arrangement::ring || machine_.arrangement == Arrangement::torus;
  if (machine_.arrangement == Arrangement::switched) {
    const int hub = static_cast<int>(nodes_.size()) - 1;
    for (int p = 0; p < grid.count(); ++p) add(switch_node(p), hub, wiring, 0);
    for (int p = 0; p < grid.count(); ++p) add(hub, switch_node(p), wiring, 0);
    return;
  }
  for (int p = 0; p < grid.count(); ++p) {
    if (machine_.arrangement == Arrangement::fully_connected) {
      for (int q = 0; q < grid.count(); ++q)
        if (q != p) add(switch_node(p), switch_node(q), wiring, 0);
      continue;
    }
    const int row = p / grid.columns, column = p % grid.columns;
    const auto along = [&](int dimension, int size, int place, int step) {
      const int other = (place + step + size) % size;
      const bool round = other != place + step;
      if (size == 1 || (round && (!closed || size == 2))) return;
      const int q = dimension == 0 ? row * grid.columns + other : other * grid.columns + column;
      add(switch_node(p), switch_node(q), wiring, dimension, round);
    };
    along(0, grid.columns, column, 1);
    along(0, grid.columns, column, -1);
    along(1, grid.rows, row, -1);
    along(1, grid.rows, row, 1);
  }
}

void Topology::add_package_path(std::vector<int>& path, int from, int to) const {  // 16.9
  if (machine_.arrangement == Arrangement::switched) path.push_back(static_cast<int>(nodes_.size()) - 1);
  if (machine_.arrangement == Arrangement::switched || machine_.arrangement == Arrangement::fully_connected) {
    path.push_back(switch_node(to));
    return;
  }
  const int columns = machine_.packages.columns;
  const bool closed = machine_.arrangement != Arrangement::mesh;
  int place[2] = {from % columns, from / columns};
  const int goal[2] = {to % columns, to / columns}, size[2] = {columns, machine_.packages.rows};
  for (const int d : {0, 1}) {
    const int forth = (goal[d] - place[d] + size[d]) % size[d];
    const bool up = closed && size[d] > 2 ? 2 * forth <= size[d] : goal[d] > place[d];
    while (place[d] != goal[d]) {
      place[d] = (place[d] + (up ? 1 : size[d] - 1)) % size[d];
      path.push_back(switch_node(place[1] * columns + place[0]));
    }
  }
}

std::vector<int> Topology::path(int source, int destination) const {  // 16.7, 16.8
  const Node &from = nodes_[source], &to = nodes_[destination];
  std::vector<int> path{source};
  int row = from.row, column = from.column;
  const auto visit = [&](int package) { path.push_back(router_node(package, row, column)); };
  const bool from_host = from.kind == NodeKind::host, to_host = to.kind == NodeKind::host;
  if (!from_host) visit(from.package);
  if (from_host || to_host || from.package != to.package) {
    if (!from_host)
      while (row + 1 < mesh_rows()) ++row, visit(from.package);
    path.push_back(switch_node(from.package));
    if (from.package != to.package) add_package_path(path, from.package, to.package);
    if (!to_host) {
      row = mesh_rows() - 1;
      column = to.column;
      visit(to.package);
    }
  }
  if (!to_host) {
    while (column != to.column) column += column < to.column ? 1 : -1, visit(to.package);
    while (row != to.row) row += row < to.row ? 1 : -1, visit(to.package);
  }
  path.push_back(destination);
  return path;
}

Route Topology::route(int source, int destination, Traffic traffic) const {
  const std::vector<int> nodes = path(source, destination);
  Route route;
  int traffic_class = 0, dimension = -1;
  const int v = machine_.virtual_channels, share = v / classes_;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const int number = link_to_[nodes[i]].at(nodes[i + 1]);
    const Link& link = links_[number];
    if (link.dimension >= 0) {  // 16.11
      if (link.dimension != dimension) traffic_class = 0;
      if (link.goes_round) traffic_class = 1;
    } else if (nodes_[link.from].kind == NodeKind::package_switch && nodes_[link.to].kind == NodeKind::router) {
      traffic_class = 1;
    }
    dimension = link.dimension;
    const int k = classes_ == 1 ? 0 : traffic_class;
    const int channel = traffic == Traffic::credit ? v + k : k * share + destination / share % share;  // 17.8
    route.hops.push_back({number, channel});
    route.latency += link.wiring.latency + hop(link.to);
  }
  return route;
}

}  // namespace calc
