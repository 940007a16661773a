#include "sim/collectives/level_rings.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/collectives/level_tree.hpp"
#include "sim/collectives/ring_steps.hpp"

namespace kernbench {

namespace {

struct Level {
  GridShape RankGrid::*shape;
  std::int32_t RankPlace::*index;
  const char* name;
};

/// From the outermost to the innermost.
constexpr std::array<Level, 3> kLevels{{{&RankGrid::packages, &RankPlace::package, "package "},
                                        {&RankGrid::dies, &RankPlace::die, "across dies "},
                                        {&RankGrid::pes, &RankPlace::pe, "die "}}};

/// Blocks of all ranks that are where `at` is in this level and in those inside it.
RingBlock blocks_at(const CollectiveRequest& request, RankPlace at, std::size_t level) {
  const RankGrid& grid = request.grid;
  RingBlock blocks;
  const std::int32_t packages = level > 0 ? grid.packages.size() : 1;
  const std::int32_t dies = level > 1 ? grid.dies.size() : 1;
  for (std::int32_t package = 0; package < packages; ++package) {
    for (std::int32_t die = 0; die < dies; ++die) {
      if (level > 0) at.package = package;
      if (level > 1) at.die = die;
      blocks.push_back(balanced_block(request.count, grid.size(), grid.rank(at)));
    }
  }
  return blocks;
}

void add_level(CollectiveThread& thread, const CollectiveRequest& request, std::int32_t rank, std::size_t number,
               const StepStyle& style) {
  const Level& level = kLevels.at(number);
  std::vector<std::int32_t> order;
  std::vector<RingBlock> blocks;
  for (const std::int32_t index : neighbour_order(request.grid.*level.shape)) {
    RankPlace at = request.grid.place(rank);
    at.*level.index = index;
    order.push_back(request.grid.rank(at));
    blocks.push_back(blocks_at(request, at, number));
  }
  if (order.size() < 2) return;
  const RingSeat seat{order, blocks, std::ranges::find(order, rank) - order.begin()};
  if (request.collective == Collective::kReduceScatter) {
    add_ring_reduce_scatter(thread, seat, style);
  } else {
    add_ring_all_gather(thread, seat, style);
  }
}

}  // namespace

void add_level_rings(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  std::array<std::size_t, 3> levels{0, 1, 2};
  const bool reduces = request.collective == Collective::kReduceScatter;
  if (reduces) std::ranges::reverse(levels);
  std::array<StepStyle, 3> styles{};
  schedule.phases.clear();
  for (const std::size_t level : levels) {
    const bool present = (request.grid.*kLevels.at(level).shape).size() > 1;
    const std::string name = std::string(kLevels.at(level).name) + (reduces ? "reduce-scatter" : "all-gather");
    styles.at(level) = {.chunk = request.chunk, .phase = add_phase(schedule, present, name)};
  }
  for (std::int32_t rank = 0; rank < request.grid.size(); ++rank) {
    CollectiveThread thread;
    for (const std::size_t level : levels) add_level(thread, request, rank, level, styles.at(level));
    schedule.ranks[static_cast<std::size_t>(rank)].push_back(std::move(thread));
  }
}

}  // namespace kernbench
