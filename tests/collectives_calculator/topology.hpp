// Nodes, links and routes of a machine (ADR-0016).
#pragma once

#include <map>
#include <vector>

#include "tests/collectives_calculator/machine.hpp"

namespace calc {

enum class NodeKind { router, pe, hbm, sram, package_switch, host, system_switch };
enum class Traffic { data, credit };

struct Node {
  NodeKind kind = NodeKind::router;
  int package = 0, die = 0, place = 0;  // place: the number of the router that it is or hangs off
  int row = 0, column = 0;              // of that router on the package's mesh
};

struct Link {
  int from = 0, to = 0;
  Wiring wiring;
  int dimension = -1;       // between packages: 0 along a row, 1 along a column
  bool goes_round = false;  // 16.11: round the end of a ring or torus
};

struct Hop {
  int link = 0, channel = 0;  // the virtual channel on this link
};

struct Route {
  std::vector<Hop> hops;
  Time latency = 0;  // 16.12, of a message without bytes
};

class Topology {
 public:
  explicit Topology(const Machine& machine);

  const Machine& machine() const { return machine_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Link>& links() const { return links_; }
  int classes() const { return classes_; }
  int channels() const { return machine_.virtual_channels + classes_; }  // 17.8: credits use further ones

  // Numbers of nodes (16.2); pe, hbm: of rank `number` of all PEs.
  int router_node(int package, int row, int column) const;
  int pe(int number) const;
  int hbm(int number) const;
  int sram_of(int pe_number) const;
  int switch_node(int package) const { return base(package) + 3 * per_package_ + machine_.dies.count(); }
  int host(int package) const { return switch_node(package) + 1; }

  bool switches(int node) const;  // a router or a switch
  Time hop(int node) const;
  Route route(int source, int destination, Traffic traffic) const;

 private:
  int base(int package) const { return package * (3 * per_package_ + machine_.dies.count() + 2); }
  int mesh_rows() const { return machine_.dies.rows * machine_.routers.rows; }
  int mesh_columns() const { return machine_.dies.columns * machine_.routers.columns; }
  void add_nodes();
  void add_die_links(int package);
  void add_mesh_links(int package);
  void add_package_links();
  void add(int from, int to, Wiring wiring, int dimension = -1, bool goes_round = false);
  std::vector<int> path(int source, int destination) const;
  void add_package_path(std::vector<int>& path, int from, int to) const;

  Machine machine_;
  int per_package_;  // PEs
  int classes_;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<std::map<int, int>> link_to_;  // of a node: its links by where they lead
};

}  // namespace calc
