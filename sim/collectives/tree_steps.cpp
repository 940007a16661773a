#include "sim/collectives/tree_steps.hpp"

#include <utility>

namespace kernbench {

namespace {

void take_from_children(CollectiveThread& thread, const TreeNode& node, ElementRange chunk, const StepStyle& style) {
  for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
    add_step(thread, StepKind::kReduce, child->peer, chunk, style.in_phase(child->up));
  }
}

void give_to_children(CollectiveThread& thread, const TreeNode& node, ElementRange chunk, const StepStyle& style) {
  for (const TreeEdge& child : node.children) {
    add_step(thread, StepKind::kSend, child.peer, chunk, style.in_phase(child.down));
  }
}

}  // namespace

void add_tree_up(CollectiveThread& thread, const TreeNode& node, ElementRange range, const StepStyle& style) {
  for_each_chunk(range, style.chunk, [&](ElementRange chunk) {
    take_from_children(thread, node, chunk, style);
    if (!node.is_root()) add_step(thread, StepKind::kSend, node.parent.peer, chunk, style.in_phase(node.parent.up));
  });
}

void add_tree_down(CollectiveThread& thread, const TreeNode& node, ElementRange range, const StepStyle& style) {
  for_each_chunk(range, style.chunk, [&](ElementRange chunk) {
    if (!node.is_root()) {
      add_step(thread, StepKind::kReceive, node.parent.peer, chunk, style.in_phase(node.parent.down));
    }
    give_to_children(thread, node, chunk, style);
  });
}

void add_tree_turn(CollectiveThread& thread, const TreeNode& node, ElementRange range, const StepStyle& style) {
  for_each_chunk(range, style.chunk, [&](ElementRange chunk) {
    take_from_children(thread, node, chunk, style);
    give_to_children(thread, node, chunk, style);
  });
}

std::vector<TreeNode> tree_of(const std::vector<std::int32_t>& parents) {
  std::vector<TreeNode> nodes(parents.size());
  for (std::size_t rank = 0; rank < parents.size(); ++rank) {
    nodes[rank].parent.peer = parents[rank];
    if (parents[rank] < 0) continue;
    nodes[static_cast<std::size_t>(parents[rank])].children.push_back({static_cast<std::int32_t>(rank)});
  }
  return nodes;
}

void add_tree(CollectiveSchedule& schedule, const std::vector<TreeNode>& nodes, ElementRange range,
              const StepStyle& style) {
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const TreeNode& node = nodes[rank];
    auto& threads = schedule.ranks[rank];
    CollectiveThread first;
    if (schedule.collective == Collective::kBroadcast) {
      add_tree_down(first, node, range, style);
    } else if (schedule.collective == Collective::kReduce) {
      add_tree_up(first, node, range, style);
    } else if (node.is_root()) {
      add_tree_turn(first, node, range, style);
    } else {
      add_tree_up(first, node, range, style);
      threads.push_back(std::move(first));
      first = {};
      add_tree_down(first, node, range, style);
    }
    threads.push_back(std::move(first));
  }
}

}  // namespace kernbench
