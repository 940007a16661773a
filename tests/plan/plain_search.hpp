// The search of 32.8 written down plainly: every mapping is bounded and ranked, nothing is passed over unseen.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/mapping_estimate.hpp"
#include "sim/plan/mapping_search.hpp"
#include "sim/plan/mapping_tiles.hpp"

namespace kernbench::plain_search {

inline const std::vector<std::int64_t> kCuts{1,  2,  3,  4,  5,  6,  7,  8,   10,  12,  14,  16,
                                             20, 24, 28, 32, 48, 64, 96, 128, 192, 256, 384, 512};
inline const std::vector<std::int64_t> kCoarseCuts{1, 4, 16, 64};

inline std::vector<std::int64_t> parts_of(std::int64_t size, std::int64_t tile, const std::vector<std::int64_t>& cuts) {
  std::vector<std::int64_t> parts;
  for (const std::int64_t cut : cuts) {
    const std::int64_t part = std::min(size, ceil_div(ceil_div(size, cut), tile) * tile);
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  }
  return parts;
}

inline std::vector<TileShape> blocks_of(const GemmProblem& problem, const TileShape& tile,
                                        const MappingRequest& request, const std::vector<std::int64_t>& cuts) {
  if (request.block) return {*request.block};
  std::vector<TileShape> blocks;
  for (const std::int64_t m : parts_of(problem.m, tile.m, cuts)) {
    for (const std::int64_t k : parts_of(problem.k, tile.k, cuts)) {
      for (const std::int64_t n : parts_of(problem.n, tile.n, cuts)) blocks.push_back({m, k, n});
    }
  }
  return blocks;
}

/// Loops of more than one block.
inline std::string loops_of(const GemmProblem& problem, const GemmMapping& mapping) {
  std::string loops(kLoopOrders[mapping.order]);
  const TileShape& block = mapping.block;
  if (block.m == problem.m) std::erase(loops, 'm');
  if (block.k == problem.k) std::erase(loops, 'k');
  if (block.n == problem.n) std::erase(loops, 'n');
  return loops;
}

/// That are tried, in their order.
inline std::vector<GemmMapping> mappings_of(const GemmProblem& problem, const TileShape& tile,
                                            const MappingRequest& request, const std::vector<std::int64_t>& cuts) {
  std::vector<GemmMapping> mappings;
  for (const TileShape& block : blocks_of(problem, tile, request, cuts)) {
    const std::size_t of_block = mappings.size();
    for (const LoopOrder order : kLoopOrders.values()) {
      if (request.order && order != *request.order) continue;
      for (const Residency loaded : {Residency{true, true}, Residency{true, false}, Residency{false, true}, {}}) {
        if (request.blocks && loaded != *request.blocks) continue;
        for (const std::int64_t buffers : {1, 2, 3, 4}) {
          GemmMapping mapping{tile, block, order, loaded, buffers, request.sums.value_or(exact_sums(problem.dtype))};
          const bool in_hbm = mapping.sums.place == SumPlace::kHbm && block.k < problem.k;
          const bool loads = loaded.a || loaded.b || in_hbm;
          const bool one_step = loops_of(problem, mapping).empty();
          if (request.buffers ? buffers != *request.buffers : buffers > (one_step || !loads ? 1 : 3)) continue;
          if (buffers > 1 && !loads) continue;
          const bool alike = std::any_of(
              mappings.begin() + static_cast<std::ptrdiff_t>(of_block), mappings.end(), [&](const GemmMapping& other) {
                return other.order != order && loops_of(problem, other) == loops_of(problem, mapping);
              });
          if (!alike) mappings.push_back(mapping);
        }
      }
    }
  }
  return mappings;
}

inline bool fits(const MappedGemm& mapped, const MachineSpec& machine) {
  try {
    check_tcm(mapped, machine);
    (void)place_gemm(mapped, machine);
    return true;
  } catch (const CapacityError&) {
    return false;
  }
}

inline auto rank(const RankedMapping& of) { return std::tie(of.estimate, of.array, of.traffic, of.steps, of.tcm); }

/// Those that fit, in the order in which they are tried.
inline std::vector<RankedMapping> ranked_of(const GemmProblem& problem, const MachineSpec& machine,
                                            const std::vector<GemmMapping>& mappings) {
  std::vector<RankedMapping> all;
  for (const GemmMapping& mapping : mappings) {
    const MachineSpec tiled = with_tile(machine, mapping.tile);
    const MappedGemm mapped(problem, mapping);
    if (!fits(mapped, tiled)) continue;
    const GemmBound bound = gemm_bound(mapped, tiled);
    all.push_back({.mapping = mapping,
                   .bound = bound.pe,
                   .estimate = estimated_time(mapped, bound, tiled),
                   .array = bound.mac_work(),
                   .traffic = mapped.traffic(),
                   .tcm = mapped.tcm(tiled),
                   .steps = mapped.steps(),
                   .cuts_k = mapping.block.k < problem.k});
  }
  return all;
}

inline std::vector<TileShape> tiles_of(const GemmProblem& problem, const MachineSpec& machine,
                                       const MappingRequest& request) {
  if (request.tile) return {*request.tile};
  std::vector<RankedMapping> others;
  for (const TileShape& tile : candidate_tiles(problem, machine.pe.mac.tile)) {
    if (tile == machine.pe.mac.tile || (request.block && !is_block(*request.block, tile, problem))) continue;
    std::vector<RankedMapping> coarse = ranked_of(problem, machine, mappings_of(problem, tile, request, kCoarseCuts));
    std::ranges::stable_sort(coarse, {}, rank);
    if (!coarse.empty()) others.push_back(coarse.front());
  }
  std::ranges::stable_sort(others, {}, rank);
  std::vector<TileShape> tiles;
  const bool own = !request.block || is_block(*request.block, machine.pe.mac.tile, problem);
  if (own || others.empty()) tiles.push_back(machine.pe.mac.tile);
  for (std::size_t i = 0; i < std::min<std::size_t>(4, others.size()); ++i) tiles.push_back(others[i].mapping.tile);
  return tiles;
}

/// All that fit by their rank; of sums in HBM those that are asked for.
inline std::vector<RankedMapping> search(const GemmProblem& problem, const MachineSpec& machine,
                                         const MappingRequest& request) {
  std::vector<GemmMapping> tried;
  for (const TileShape& tile : tiles_of(problem, machine, request)) {
    const std::vector<GemmMapping> of_tile = mappings_of(problem, tile, request, kCuts);
    tried.insert(tried.end(), of_tile.begin(), of_tile.end());
  }
  std::vector<RankedMapping> all = ranked_of(problem, machine, tried);
  std::ranges::stable_sort(all, {}, rank);
  return all;
}

}  // namespace kernbench::plain_search
