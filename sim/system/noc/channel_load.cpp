#include "sim/system/noc/channel_load.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "sim/hw/noc/flit_tree.hpp"

namespace kernbench {

namespace {

class ChannelLoads {
 public:
  explicit ChannelLoads(const TrafficSpec& spec) : spec_(spec), loads_(static_cast<std::size_t>(nodes())) {}

  [[nodiscard]] std::int32_t nodes() const { return spec_.nodes(); }

  /// From every node to all of them alike: a link is crossed by what comes from one side of it and goes to the other.
  void add_uniform(double rate) {
    const auto across = [rate](int before, int all) {
      return rate * before * (all - before) / all;  // before: rows or columns on the side that it comes from
    };
    for (std::int32_t node = 0; node < nodes(); ++node) {
      const int row = node / spec_.columns;
      const int column = node % spec_.columns;
      at(node)[kEast] += across(column + 1, spec_.columns);
      at(node)[kWest] += across(spec_.columns - column, spec_.columns);
      at(node)[kSouth] += across(row + 1, spec_.rows);
      at(node)[kNorth] += across(spec_.rows - row, spec_.rows);
      at(node)[kNode] += rate;
    }
  }

  void add_flow(std::int32_t from, std::int32_t to, double rate) {
    const auto step = [](int here, int there) { return here < there ? 1 : -1; };
    int row = from / spec_.columns;
    int column = from % spec_.columns;
    for (const int there = to % spec_.columns; column != there; column += step(column, there)) {
      at(row * spec_.columns + column)[column < there ? kEast : kWest] += rate;
    }
    for (const int there = to / spec_.columns; row != there; row += step(row, there)) {
      at(row * spec_.columns + column)[row < there ? kSouth : kNorth] += rate;
    }
    at(to)[kNode] += rate;
  }

  /// From a node to several: a channel that several of their ways take counts once.
  void add_tree(std::int32_t from, const std::vector<std::int32_t>& receivers) {
    const FlitTree tree(spec_.columns, from, receivers);
    for (const auto& [node, ports] : tree.routers()) {
      for (std::uint64_t left = ports; left != 0;) at(node)[static_cast<std::size_t>(take_lowest(left))] += 1;
    }
  }

  [[nodiscard]] double most() const {
    double most = 1;  // from a node
    for (const auto& ways : loads_) most = std::max(most, *std::ranges::max_element(ways));
    return most;
  }

 private:
  std::array<double, kFlitPorts>& at(std::int32_t node) { return loads_[static_cast<std::size_t>(node)]; }

  const TrafficSpec& spec_;
  std::vector<std::array<double, kFlitPorts>> loads_;  // of the channels that leave a node's router
};

}  // namespace

double most_channel_load(const TrafficSpec& spec) {
  ChannelLoads loads(spec);
  const double hot = spec.hot_share();
  if (!spec.fixed() && !spec.multicast()) loads.add_uniform(1 - hot);
  for (std::int32_t node = 0; node < loads.nodes(); ++node) {
    if (spec.multicast()) loads.add_tree(node, receivers_of(spec, node));
    if (spec.fixed()) loads.add_flow(node, fixed_destination(spec, node), 1);
    if (hot == 0) continue;
    for (const std::int32_t to : spec.hot_nodes)
      loads.add_flow(node, to, hot / static_cast<double>(spec.hot_nodes.size()));
  }
  return loads.most();
}

}  // namespace kernbench
