#include "sim/system/noc/traffic_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sim/base/errors.hpp"

namespace kernbench {

TrafficSpec checked(TrafficSpec spec) {
  const std::int32_t nodes = spec.nodes();
  const std::string mesh = std::to_string(spec.rows) + "x" + std::to_string(spec.columns);
  if (spec.pattern == TrafficPattern::kTranspose && spec.rows != spec.columns) {
    throw ConfigError("traffic transpose: expected a mesh with as many rows as columns, got " + mesh);
  }
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
      break;
  }
  return static_cast<std::int32_t>(random_.below(spec.nodes()));
}

}  // namespace kernbench
