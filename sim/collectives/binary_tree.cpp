// binary_tree: a complete binary tree rooted at the root; chunks follow each other through it.
#include "sim/collectives/closed_forms.hpp"
#include "sim/collectives/sizes.hpp"
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

/// A tree of h full levels, equal messages: each level is alpha and two messages, as a rank serves two children, and
/// every further chunk is two messages behind. Up and down share ports, so an all_reduce has a form for one message
/// only.
std::optional<Picoseconds> closed_form(const CollectiveRequest& request, const AlphaBeta& cost) {
  const std::int32_t n = request.grid.size();
  const Messages messages(request.count, request, cost);
  const bool both_ways = request.collective == Collective::kAllReduce;
  if (n < 3 || !power_of_two(n + 1) || !messages.equal() || (both_ways && messages.count > 1)) return std::nullopt;
  const std::int64_t edges = log2_of(n + 1) - 1;
  const Picoseconds level = messages.alpha + 2 * messages.each;
  return (both_ways ? 2 : 1) * edges * level + (messages.count - 1) * (2 * messages.each);
}

const RegisterCollectiveAlgorithm kRegistered({"binary_tree",
                                               "one binary tree, pipelined by chunks",
                                               {Collective::kAllReduce, Collective::kBroadcast, Collective::kReduce},
                                               build,
                                               tree_size,
                                               closed_form});

}  // namespace

}  // namespace kernbench
