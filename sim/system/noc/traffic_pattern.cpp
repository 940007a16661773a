#include "sim/system/noc/traffic_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

/// The nodes from the first row and column to the last.
struct Block {
  int row = 0;
  int column = 0;
  int to_row = 0;
  int to_column = 0;
};

Block block_of(const TrafficSpec& spec, std::int32_t node) {
  const auto begin = [](int at, int side) { return at / side * side; };
  const int row = begin(node / spec.columns, spec.groups.rows);
  const int column = begin(node % spec.columns, spec.groups.columns);
  return {row, column, std::min(row + spec.groups.rows, spec.rows),
          std::min(column + spec.groups.columns, spec.columns)};
}

/// In ascending order.
std::vector<std::int32_t> group_of(const TrafficSpec& spec, std::int32_t node) {
  if (!spec.groups.nodes.empty()) return spec.groups.nodes;
  std::vector<std::int32_t> group;
  const Block block = block_of(spec, node);
  for (int row = block.row; row < block.to_row; ++row) {
    for (int column = block.column; column < block.to_column; ++column) group.push_back(row * spec.columns + column);
  }
  return group;
}

void check_listed(const std::vector<std::int32_t>& listed, std::int32_t nodes, const std::string& where) {
  for (const std::int32_t node : listed) {
    if (node >= 0 && node < nodes) continue;
    throw ConfigError(where + ": expected nodes from 0 to " + std::to_string(nodes - 1) + ", got " +
                      std::to_string(node));
  }
}

TrafficGroups checked_groups(const TrafficSpec& spec, const std::string& mesh) {
  TrafficGroups groups = spec.groups;
  std::ranges::sort(groups.nodes);
  const std::string where = "traffic multicast on the " + mesh + " mesh";
  check_listed(groups.nodes, spec.nodes(), where);
  if (const auto twice = std::ranges::adjacent_find(groups.nodes); twice != groups.nodes.end()) {
    throw ConfigError(where + ": expected every node of the group once, got " + std::to_string(*twice) + " twice");
  }
  if (groups.rows == 0) groups.rows = spec.rows;
  if (groups.columns == 0) groups.columns = spec.columns;
  const auto alone = [&](std::int32_t node) {
    throw ConfigError(where + ": expected receivers for every node, got none for node " + std::to_string(node) +
                      ", which is alone in its group; a larger group, or blocks that divide the mesh");
  };
  if (groups.nodes.size() == 1) alone(groups.nodes.front());
  if (!groups.nodes.empty()) return groups;
  if (groups.rows < 1 || groups.rows > spec.rows || groups.columns < 1 || groups.columns > spec.columns) {
    throw ConfigError(where + ": expected groups of 1x1 to " + mesh + ", got " + std::to_string(groups.rows) + "x" +
                      std::to_string(groups.columns));
  }
  const auto smallest = [](int all, int side) { return all % side == 0 ? side : all % side; };
  // The last block is the smallest one of them.
  if (smallest(spec.rows, groups.rows) * smallest(spec.columns, groups.columns) == 1) alone(spec.nodes() - 1);
  return groups;
}

}  // namespace

TrafficSpec checked(TrafficSpec spec) {
  const std::int32_t nodes = spec.nodes();
  const std::string mesh = std::to_string(spec.rows) + "x" + std::to_string(spec.columns);
  if (spec.pattern == TrafficPattern::kTranspose && spec.rows != spec.columns) {
    throw ConfigError("traffic transpose: expected a mesh with as many rows as columns, got " + mesh);
  }
  if (spec.multicast()) spec.groups = checked_groups(spec, mesh);
  if (spec.pattern != TrafficPattern::kHotspot) return spec;
  if (spec.hot_nodes.empty()) spec.hot_nodes = {spec.rows / 2 * spec.columns + spec.columns / 2};
  for (const std::int32_t node : spec.hot_nodes) {
    if (node >= 0 && node < nodes) continue;
    throw ConfigError("traffic hotspot: expected nodes from 0 to " + std::to_string(nodes - 1) + " of the " + mesh +
                      " mesh, got " + std::to_string(node));
  }
  if (!(spec.hot_fraction >= 0 && spec.hot_fraction <= 1)) {
    throw ConfigError("traffic hotspot: expected a fraction from 0 to 1, got " + std::to_string(spec.hot_fraction));
  }
  return spec;
}

Cycles PacketStream::next_cycle() {
  // The gap between two successes of a coin that is tossed every cycle.
  const double gap =
      packets_per_cycle_ >= 1 ? 0 : std::floor(std::log(random_.unit()) / std::log1p(-packets_per_cycle_));
  constexpr double kNever = 1e15;
  cycle_ += 1 + static_cast<Cycles>(std::min(gap, kNever));
  return cycle_;
}

std::int32_t fixed_destination(const TrafficSpec& spec, std::int32_t node) {
  const std::int32_t row = node / spec.columns;
  const std::int32_t column = node % spec.columns;
  if (spec.pattern == TrafficPattern::kTranspose) return column * spec.columns + row;
  return (row + 1) % spec.rows * spec.columns + (column + 1) % spec.columns;
}

std::vector<std::int32_t> receivers_of(const TrafficSpec& spec, std::int32_t node) {
  std::vector<std::int32_t> group = group_of(spec, node);
  std::rotate(group.begin(), std::ranges::upper_bound(group, node), group.end());
  if (group.back() == node) group.pop_back();
  return group;
}

std::int32_t PacketStream::destination(const TrafficSpec& spec) {
  switch (spec.pattern) {
    case TrafficPattern::kTranspose:
    case TrafficPattern::kNeighbour:
      return fixed_destination(spec, node_);
    case TrafficPattern::kHotspot:
      if (random_.unit() <= spec.hot_fraction) {
        return spec.hot_nodes[static_cast<std::size_t>(random_.below(std::ssize(spec.hot_nodes)))];
      }
      break;
    case TrafficPattern::kUniform:
    case TrafficPattern::kMulticast:
      break;
  }
  return static_cast<std::int32_t>(random_.below(spec.nodes()));
}

}  // namespace kernbench
