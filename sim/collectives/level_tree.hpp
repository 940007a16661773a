// The hierarchical algorithms' ways over a mesh: trees that follow rows and columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/collectives/tree_steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

/// The neighbour of a cell on the way to the root.
struct MeshParent {
  std::int32_t index = -1;  ///< -1: the cell is the root
  bool in_row = false;      ///< reached along a row
};

/// One step from a cell towards the root: along the row to the root's column, then along that column.
[[nodiscard]] MeshParent mesh_parent(GridShape shape, std::int32_t root, std::int32_t index);

/// Appends a phase that the schedule has; returns its index. Of a phase that it does not have, the index is never used.
std::uint8_t add_phase(CollectiveSchedule& schedule, bool present, const std::string& name);

/// The tree of a broadcast or a reduce over all ranks: the root's PE of each die of a package on a mesh of dies, the
/// root's die and PE of each package on the mesh of packages, the PEs of each die on the mesh of PEs; each mesh along
/// the root's column, then along the rows. Names the schedule's phases.
[[nodiscard]] std::vector<TreeNode> level_tree(const CollectiveRequest& request, CollectiveSchedule& schedule);

}  // namespace kernbench
