// double_binary_tree: each half of the data has its own binary tree over the ranks beside the root; a rank with
// children in one of them has none in the other (P. Sanders, J. Speck, J. L. Traeff: Two-tree algorithms for full
// bandwidth broadcast, reduction and scan, Parallel Computing 35, 2009).
#include <bit>

#include "sim/collectives/sizes.hpp"
#include "sim/collectives/tree_steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

/// Parents of places first, ..., first + size - 1 numbered from left to right: the top is at the highest power of two
/// that fits. Seen from 1, even places have children and odd ones do not. `parents` is by place.
void link_in_order(std::vector<std::int32_t>& parents, std::int32_t first, std::int32_t size, std::int32_t parent) {
  if (size == 0) return;
  const auto left = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(size))) - 1;
  const std::int32_t top = first + left;
  parents[static_cast<std::size_t>(top)] = parent;
  link_in_order(parents, first, left, top);
  link_in_order(parents, top + 1, size - left - 1, top);
}

/// Places 1 ... others, by which the trees number the ranks after the root: tree 0 in their order, tree 1 mirrored, or
/// for an odd number shifted by one, so that the parity of the place (all but one's) changes. 0 is the root in both.
std::int32_t offset_at(std::int32_t place, std::int32_t others, int tree) {
  if (tree == 0 || place == 0) return place;
  return others % 2 == 0 ? others + 1 - place : place % others + 1;
}

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const std::int32_t ranks = request.grid.size();
  const std::int32_t root = request.collective == Collective::kAllReduce ? 0 : request.root;
  std::vector<std::int32_t> parent_places(static_cast<std::size_t>(ranks), -1);
  link_in_order(parent_places, 1, ranks - 1, 0);
  schedule.phases = {"reduce", "broadcast"};
  for (const int tree : {0, 1}) {
    const auto rank_at = [&](std::int32_t place) { return (root + offset_at(place, ranks - 1, tree)) % ranks; };
    std::vector<std::int32_t> parents(static_cast<std::size_t>(ranks), -1);
    for (std::int32_t place = 1; place < ranks; ++place) {
      parents[static_cast<std::size_t>(rank_at(place))] = rank_at(parent_places[static_cast<std::size_t>(place)]);
    }
    std::vector<TreeNode> nodes = tree_of(parents);
    for (TreeNode& node : nodes) {
      node.parent.down = 1;
      for (TreeEdge& child : node.children) child.down = 1;
    }
    add_tree(schedule, nodes, half_of({0, request.count}, tree),
             {.chunk = request.chunk, .channel = static_cast<std::int16_t>(tree)});
  }
}

/// Each tree moves half.
ScheduleSize size(const CollectiveRequest& request) {
  const ScheduleSize tree = tree_size(request);
  return {2 * tree.messages, tree.elements, 2 * tree.channels};
}

const RegisterCollectiveAlgorithm kRegistered(
    {"double_binary_tree",
     "two binary trees, each for half of the data, with different inner ranks",
     {Collective::kAllReduce, Collective::kBroadcast, Collective::kReduce},
     build,
     size});

}  // namespace

}  // namespace kernbench
