#include "sim/plan/network/network_cuts.hpp"

#include <limits>

namespace kernbench {
namespace {

using End = std::int32_t NetworkLink::*;

Bandwidth cut(const NetworkPlan& plan, const std::vector<std::int32_t>& nodes, End inside, End outside) {
  std::vector<bool> is_inside(plan.nodes.size(), false);
  for (const auto node : nodes) is_inside[static_cast<std::size_t>(node)] = true;
  Bandwidth sum;
  for (const auto& link : plan.links) {
    if (!is_inside[static_cast<std::size_t>(link.*inside)] || is_inside[static_cast<std::size_t>(link.*outside)])
      continue;
    const auto before = sum.bytes_per_second;
    if (__builtin_add_overflow(before, link.bandwidth.bytes_per_second, &sum.bytes_per_second)) {
      return {std::numeric_limits<std::int64_t>::max()};
    }
  }
  return sum;
}

}  // namespace

std::vector<std::int32_t> nodes_of_package(const NetworkPlan& plan, std::int32_t package) {
  const auto count = plan.numbers.per_package();
  std::vector<std::int32_t> nodes;
  nodes.reserve(static_cast<std::size_t>(count));
  for (std::int32_t node = 0; node < count; ++node) nodes.push_back(package * count + node);
  return nodes;
}

std::vector<std::int32_t> nodes_of_die(const NetworkPlan& plan, std::int32_t package, std::int32_t die) {
  std::vector<std::int32_t> nodes;
  for (const auto node : nodes_of_package(plan, package)) {
    if (plan.node(node).at.die == die) nodes.push_back(node);
  }
  return nodes;
}

Bandwidth outgoing(const NetworkPlan& plan, const std::vector<std::int32_t>& nodes) {
  return cut(plan, nodes, &NetworkLink::from, &NetworkLink::to);
}

Bandwidth incoming(const NetworkPlan& plan, const std::vector<std::int32_t>& nodes) {
  return cut(plan, nodes, &NetworkLink::to, &NetworkLink::from);
}

}  // namespace kernbench
