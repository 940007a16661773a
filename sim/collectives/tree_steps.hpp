// The steps that the tree algorithms share: chunks flow up a tree being reduced, down it being copied.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/collectives/steps.hpp"

namespace kernbench {

/// The end of a tree's edge. Phases are indices into CollectiveSchedule::phases.
struct TreeEdge {
  std::int32_t peer = -1;
  std::uint8_t up = 0;
  std::uint8_t down = 0;
};

/// One rank in a tree.
struct TreeNode {
  TreeEdge parent;                 ///< peer -1: the root
  std::vector<TreeEdge> children;  ///< in the order of sending
  [[nodiscard]] bool is_root() const { return parent.peer < 0; }
};

/// Chunk by chunk: reduces what the children send, last child first, and sends the sum to the parent.
void add_tree_up(CollectiveThread& thread, const TreeNode& node, ElementRange range, const StepStyle& style);
/// Chunk by chunk: receives from the parent and sends to the children.
void add_tree_down(CollectiveThread& thread, const TreeNode& node, ElementRange range, const StepStyle& style);
/// The root of an all_reduce: each chunk goes down as soon as it is reduced.
void add_tree_turn(CollectiveThread& thread, const TreeNode& node, ElementRange range, const StepStyle& style);

/// Nodes of all ranks from their parents (-1: the root); children in the order of their numbers.
[[nodiscard]] std::vector<TreeNode> tree_of(const std::vector<std::int32_t>& parents);

/// broadcast, reduce or all_reduce along a tree that spans all ranks. In an all_reduce every rank but the root has a
/// thread for the way up and one for the way down.
void add_tree(CollectiveSchedule& schedule, const std::vector<TreeNode>& nodes, ElementRange range,
              const StepStyle& style);

}  // namespace kernbench
