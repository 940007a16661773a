#include "sim/collectives/level_tree.hpp"

#include <algorithm>
#include <array>

namespace kernbench {

namespace {

/// Kinds of edges, in the order in which a broadcast goes through them.
enum EdgeKind : std::uint8_t { kPackageEdge, kColumnEdge, kRowEdge, kDieEdge };
constexpr std::array<EdgeKind, 4> kEdgeKinds{kPackageEdge, kColumnEdge, kRowEdge, kDieEdge};
constexpr std::array<const char*, 4> kEdgeNames{"package", "column", "row", "die"};

struct ParentRank {
  std::int32_t rank = -1;
  EdgeKind kind = kDieEdge;
};

ParentRank parent_of(const RankGrid& grid, const RankPlace& root, RankPlace at) {
  if (at.pe != root.pe) {
    at.pe = mesh_parent(grid.pes, root.pe, at.pe).index;
    return {grid.rank(at), kDieEdge};
  }
  if (at.die != root.die) {
    const MeshParent parent = mesh_parent(grid.dies, root.die, at.die);
    at.die = parent.index;
    return {grid.rank(at), parent.in_row ? kRowEdge : kColumnEdge};
  }
  if (at.package == root.package) return {};
  at.package = mesh_parent(grid.packages, root.package, at.package).index;
  return {grid.rank(at), kPackageEdge};
}

}  // namespace

MeshParent mesh_parent(GridShape shape, std::int32_t root, std::int32_t index) {
  const GridCell to = shape.cell(root);
  GridCell at = shape.cell(index);
  if (at == to) return {};
  const bool in_row = at.column != to.column;
  if (in_row) {
    at.column += at.column < to.column ? 1 : -1;
  } else {
    at.row += at.row < to.row ? 1 : -1;
  }
  return {shape.index(at), in_row};
}

std::uint8_t add_phase(CollectiveSchedule& schedule, bool present, const std::string& name) {
  const auto index = static_cast<std::uint8_t>(schedule.phases.size());
  if (present) schedule.phases.push_back(name);
  return index;
}

std::vector<TreeNode> level_tree(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  const RankGrid& grid = request.grid;
  const std::array<bool, 4> present{grid.packages.size() > 1, grid.dies.rows > 1, grid.dies.columns > 1,
                                    grid.pes.size() > 1};
  const bool reduces = schedule.collective == Collective::kReduce;
  std::array<EdgeKind, 4> in_time = kEdgeKinds;
  if (reduces) std::ranges::reverse(in_time);
  std::array<std::uint8_t, 4> phase_of{};
  schedule.phases.clear();
  for (const EdgeKind kind : in_time) {
    const std::string name = kEdgeNames.at(kind);
    phase_of.at(kind) = add_phase(schedule, present.at(kind), name + (reduces ? " reduce" : " broadcast"));
  }

  const RankPlace root = grid.place(request.root);
  std::vector<TreeNode> nodes(static_cast<std::size_t>(grid.size()));
  for (const EdgeKind kind : kEdgeKinds) {  // children far away are served first
    for (std::int32_t rank = 0; rank < grid.size(); ++rank) {
      const ParentRank parent = parent_of(grid, root, grid.place(rank));
      if (parent.rank < 0 || parent.kind != kind) continue;
      const std::uint8_t phase = phase_of.at(kind);
      nodes[static_cast<std::size_t>(rank)].parent = {parent.rank, phase, phase};
      nodes[static_cast<std::size_t>(parent.rank)].children.push_back({rank, phase, phase});
    }
  }
  return nodes;
}

}  // namespace kernbench
