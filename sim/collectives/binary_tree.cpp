// binary_tree: a complete binary tree rooted at the root; chunks follow each other through it.
#include "sim/collectives/tree_steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::int32_t ranks = request.grid.size();
  const std::int32_t root = request.collective == Collective::kAllReduce ? 0 : request.root;
  const auto rank_at = [&](std::int32_t place) { return (root + place) % ranks; };
  std::vector<TreeNode> nodes(static_cast<std::size_t>(ranks));
  for (std::int32_t place = 0; place < ranks; ++place) {
    TreeNode& node = nodes[static_cast<std::size_t>(rank_at(place))];
    if (place > 0) node.parent = {rank_at((place - 1) / 2), 0, 1};
    for (std::int64_t child = 2 * std::int64_t{place} + 1; child <= 2 * std::int64_t{place} + 2; ++child) {
      if (child < ranks) node.children.push_back({rank_at(static_cast<std::int32_t>(child)), 0, 1});
    }
  }
  schedule.phases = {"reduce", "broadcast"};
  add_tree(schedule, nodes, {0, request.count}, {.chunk = request.chunk});
}

const RegisterCollectiveAlgorithm kRegistered({"binary_tree",
                                               "one binary tree, pipelined by chunks",
                                               {Collective::kAllReduce, Collective::kBroadcast, Collective::kReduce},
                                               build});

}  // namespace

}  // namespace kernbench
