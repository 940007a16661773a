#include "benches/experiments/cluster/divide.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace kernbench {

std::vector<std::vector<std::size_t>> divided(const std::vector<double>& costs, std::size_t tasks) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&costs](std::size_t index) { return costs[index]; });
  std::vector<std::vector<std::size_t>> shares(std::min(tasks, costs.size()));
  using Load = std::pair<double, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t task = 0; task < shares.size(); ++task) loads.emplace(0, task);
  for (const std::size_t index : order) {
    const auto [cost, task] = loads.top();
    loads.pop();
    shares[task].push_back(index);
    loads.emplace(cost + costs[index], task);
  }
  return shares;
}

}  // namespace kernbench
