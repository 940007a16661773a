// The units of a machine that every element passes with which a rank does something, as the bound of a collective has
// them (20.5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "benches/workloads/collective/machine_part.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/collective/collective_bound.hpp"

namespace kernbench {

/// A rank's ways out of and into its TCM, in which slots and buffers lie.
[[nodiscard]] std::vector<RankUnits> rank_ports(const MachinePart& part);
/// All, wherever slots and buffers lie, in the order of 20.5.
[[nodiscard]] std::vector<RankUnits> rank_units(const CollectiveAlgorithm& algorithm, const CollectiveRequest& request,
                                                const MachinePart& part);

/// Keys of the machine file that raise what sets a bound, by its name; none for a latency.
[[nodiscard]] std::vector<std::string_view> keys_of_bound(std::string_view resource);

}  // namespace kernbench
