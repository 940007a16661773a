#include "sim/system/multi_pe_choice.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <tuple>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/multi_pe_mapping.hpp"
#include "sim/system/multi_pe_mapped.hpp"

namespace kernbench {

namespace {

constexpr double kNearEstimate = 1.05;

/// Of placements with the same bound the one with less of C in one PE, which others may wait for, is the better one, of
/// equal ones that which brings less to one PE, then that with less on the network.
auto rank_of(const MultiPeGemmPlan& plan) {
  return std::tuple(plan.bound.time, plan.largest_part_of_c, plan.bound.brought, plan.bound.crossing);
}

/// Those that the kernel chooses among, each once, that of 30.2 before other grids.
std::vector<GemmPlacement> placements_of(const MultiPeGemmKernel& kernel, std::string_view place, int pes) {
  std::vector<GemmPlacement> all;
  for (const GemmPlacement& of_kernel : kernel.placements) {
    const GemmPlacement placement = parse_placement(place, of_kernel);
    if (std::ranges::find(all, placement) == all.end()) all.push_back(placement);
  }
  if (kernel.cuts == nullptr || all.front().grid.rows > 0) return all;
  for (int rows = 1; rows <= pes; ++rows) {
    if (pes % rows != 0) continue;
    all.push_back(all.front());
    all.back().grid = {rows, pes / rows};
  }
  return all;
}

}  // namespace

std::vector<MultiPeGemmPlan> rank_placements(const MachineSpec& machine, const NetworkPlan& plan,
                                             MultiPeGemmRequest request, std::string_view place) {
  std::vector<MultiPeGemmPlan> all;
  std::exception_ptr refused;
  const MultiPeGemmKernel& kernel = find_multi_pe_gemm_kernel(request.kernel);
  for (const GemmPlacement& placement : placements_of(kernel, place, static_cast<int>(request.pes.size()))) {
    request.placement = placement;
    try {
      const MultiPeGemmPlan planned = plan_multi_pe_gemm(machine, plan, request);
      if (std::ranges::find(all, planned.placement, &MultiPeGemmPlan::placement) == all.end()) all.push_back(planned);
    } catch (const ConfigError&) {
      if (refused == nullptr) refused = std::current_exception();
    }
  }
  if (all.empty()) std::rethrow_exception(refused);
  std::ranges::stable_sort(all, {}, rank_of);
  return all;
}

std::vector<MultiPeGemmPlan> other_cuts(const MachineSpec& machine, const NetworkPlan& plan, MultiPeGemmRequest request,
                                        const MultiPeGemmPlan& planned) {
  std::vector<MultiPeGemmPlan> all;
  const MultiPeGemmKernel& kernel = kernel_of(request);
  if (kernel.cuts == nullptr) return all;
  request.placement = planned.placement;
  const PlacedGemm gemm = place_multi_pe_gemm(machine, request, std::vector<MemoryNode>(request.pes.size(), 0));
  const std::vector<GridCut> cuts = kernel.cuts(gemm, machine);
  const double most = kNearEstimate * cuts.front().estimate.ns();
  for (const GridCut& cut : cuts) {
    const GridCut& of_block = *std::ranges::find(cuts, cut.block, &GridCut::block);
    if (cut.estimate == Picoseconds{} || of_block.estimate.ns() > most) continue;
    request.placement.block = cut.block;
    request.placement.buffers = cut.rooms;
    if (request.placement != planned.placement) all.push_back(plan_multi_pe_gemm(machine, plan, request));
  }
  return all;
}

namespace {

constexpr std::size_t kOfEach = 4;         // mappings of a part that are planned for each split and placement,
constexpr std::size_t kLookedAt = 64;      // of the first ones: a smaller part may not have what the largest has
constexpr std::int64_t kGroupsWithin = 2;  // times the first one's estimate

/// The largest part, as pe.mac.tile, or the tile that is asked for, cuts it.
MappedGemm largest_part(const PlacedGemm& gemm) {
  std::optional<MappedGemm> largest;
  for (int pe = 0; pe < gemm.pes; ++pe) {
    const std::optional<MappedPart> part = mapped_part(gemm, pe);
    if (!part || (largest && part->mapped.problem().macs() <= largest->problem().macs())) continue;
    largest = part->mapped;
  }
  return largest.value();
}

/// Adding up goes after multiplying: a part is read, sent, read and written again in each step.
Picoseconds adding_up(const RankedMultiPeMapping& ranked, const GemmProblem& problem, std::size_t pes,
                      const MachineSpec& machine) {
  const std::int64_t steps = ranked.mapping.split_k - 1;
  const Bytes part = bytes_of(ceil_div(problem.m * problem.n, static_cast<std::int64_t>(pes)), problem.result());
  const Picoseconds latency = machine.pe.dma.setup + machine.die.hbm.read_latency;
  return steps * (2 * latency + std::min(machine.die.hbm.bandwidth, machine.die.router.link).time_for(3 * part));
}

class MultiPeSearch {
 public:
  MultiPeSearch(const MachineSpec& machine, const NetworkPlan& plan, const MultiPeGemmRequest& request,
                const MappingRequest& asked)
      : machine_(machine), plan_(plan), request_(request), asked_(asked) {}

  void run(std::int64_t split_k, const GemmPlacement& placement) {
    MultiPeGemmRequest request = request_;
    request.placement = placement;
    try {
      const MachineSpec left = machine_left(split_k);
      const GemmProblem part = part_of(split_k, placement, left);
      const MappingSearch search = mappings_of(part, left);
      all_.tried += search.tried;
      std::size_t planned = 0;
      std::set<MappingGroup> groups;
      for (std::size_t i = 0; i < search.best.size(); ++i) {
        const RankedMapping& of_part = search.best[i];
        const bool one_of_first = planned < kOfEach && i < kLookedAt;
        const bool first_of_group =
            !groups.contains(group_of(of_part)) && of_part.estimate <= kGroupsWithin * search.best.front().estimate;
        if (!one_of_first && !first_of_group) continue;
        request.mapping = MultiPeMapping{of_part.mapping, split_k};
        const auto ranked = planned_for(request, of_part);
        if (!ranked) continue;
        ++all_.planned;
        if (one_of_first) all_.best.push_back(*ranked);
        if (one_of_first) ++planned;
        if (groups.insert(group_of(of_part)).second) all_.first_of_groups.push_back(*ranked);
      }
    } catch (const ConfigError&) {
      if (refused_ == nullptr) refused_ = std::current_exception();
    }
  }

  [[nodiscard]] MultiPeMappingSearch found() {
    if (all_.best.empty()) std::rethrow_exception(refused_);
    for (auto* ranked : {&all_.best, &all_.first_of_groups}) {
      std::ranges::stable_sort(*ranked, {}, &RankedMultiPeMapping::estimate);
    }
    return all_;
  }

 private:
  [[nodiscard]] MappingSearch mappings_of(const GemmProblem& part, const MachineSpec& left) const {
    const TileShape shape{part.m, part.k, part.n};
    try {
      return search_mappings(part, left, asked_, kLookedAt);
    } catch (const CapacityError& error) {
      throw CapacityError("the part of a PE, " + to_text(shape) + ": " + error.what());
    } catch (const ConfigError& error) {
      throw ConfigError("the part of a PE, " + to_text(shape) + ": " + error.what());
    }
  }

  /// What queues leave of the TCM.
  [[nodiscard]] MachineSpec machine_left(std::int64_t split_k) const {
    MachineSpec machine = with_partition(
        machine_, std::min(static_cast<std::int64_t>(request_.pes.size()), machine_.die.routers.count()));
    machine.pe.tcm.take(slots_of(multi_pe_mapped_kernel({.local = {}, .split_k = split_k}), machine_));
    return machine;
  }

  [[nodiscard]] GemmProblem part_of(std::int64_t split_k, const GemmPlacement& placement,
                                    const MachineSpec& machine) const {
    const MachineSpec tiled = asked_.tile ? with_tile(machine, *asked_.tile) : machine;
    const std::vector<MemoryNode> nowhere(request_.pes.size(), 0);
    PlacedGemm gemm = place_multi_pe_gemm(
        request_.problem, placement, {split_k > 1, tiled.pe.tcm.capacity, static_cast<int>(split_k)}, tiled, nowhere);
    const GemmProblem& problem = gemm.problem;
    gemm.mapping = MultiPeMapping{whole_mapping(problem, tiled.pe.mac.tile, {}), split_k};
    check_mapped(gemm);
    return largest_part(gemm).problem();
  }

  /// Nothing where not all parts, in this tile, have blocks of this mapping.
  [[nodiscard]] std::optional<RankedMultiPeMapping> planned_for(const MultiPeGemmRequest& request,
                                                                const RankedMapping& part) {
    RankedMultiPeMapping ranked{*request.mapping, {}, {}, group_of(part)};
    try {
      ranked.plan = plan_multi_pe_gemm(machine_, plan_, request);
    } catch (const ConfigError&) {
      if (refused_ == nullptr) refused_ = std::current_exception();
      return std::nullopt;
    }
    ranked.estimate = std::max(part.estimate, ranked.plan.bound.time) +
                      adding_up(ranked, request.problem, request.pes.size(), machine_);
    return ranked;
  }

  const MachineSpec& machine_;
  const NetworkPlan& plan_;
  const MultiPeGemmRequest& request_;
  const MappingRequest& asked_;
  MultiPeMappingSearch all_;
  std::exception_ptr refused_;
};

/// Ways to split K between so many PEs.
std::vector<std::int64_t> splits(std::int64_t pes, std::int64_t k_tiles) {
  std::vector<std::int64_t> all;
  for (std::int64_t parts = 1; parts <= std::min(pes, k_tiles); ++parts) {
    if (pes % parts == 0) all.push_back(parts);
  }
  return all;
}

}  // namespace

MultiPeMapping of_largest_part(const MachineSpec& machine, MultiPeGemmRequest request, const MultiPeMapping& mapping) {
  request.mapping = mapping;
  const MachineSpec tiled = with_tile(machine, mapping.local.tile);
  const std::vector<MemoryNode> nowhere(request.pes.size(), 0);
  return {largest_part(place_multi_pe_gemm(tiled, request, nowhere)).mapping(), mapping.split_k};
}

MultiPeMappingSearch search_multi_pe_mappings(const MachineSpec& machine, const NetworkPlan& plan,
                                              const MultiPeGemmRequest& request, const MappingRequest& asked,
                                              std::string_view place) {
  const auto pes = static_cast<std::int64_t>(request.pes.size());
  if (asked.split_k && pes % *asked.split_k != 0) {
    throw ConfigError("mapping: split_k " + std::to_string(*asked.split_k) + ": expected a number that divides the " +
                      std::to_string(pes) + " PEs");
  }
  const std::int64_t tile_k = asked.tile ? asked.tile->k : machine.pe.mac.tile.k;
  MultiPeSearch search(machine, plan, request, asked);
  const std::vector<std::int64_t> all = splits(pes, ceil_div(request.problem.k, tile_k));
  for (const std::int64_t split_k : asked.split_k ? std::vector<std::int64_t>{*asked.split_k} : all) {
    std::vector<GemmPlacement> tried;
    for (const GemmPlacement& of_kernel : multi_pe_mapped_kernel({.local = {}, .split_k = split_k}).placements) {
      const GemmPlacement placement = parse_placement(place, of_kernel);
      if (std::ranges::find(tried, placement) != tried.end()) continue;
      tried.push_back(placement);
      search.run(split_k, placement);
    }
  }
  return search.found();
}

}  // namespace kernbench
