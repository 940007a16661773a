#include "sim/plan/mapping_tiles.hpp"

#include <algorithm>
#include <ranges>

namespace kernbench {

namespace {

constexpr std::int64_t kMostTimesSmaller = 4;  // of the outputs that an accumulator set holds: a quarter

/// `size` halved while it is even and doubled until it covers `all`, the largest first.
std::vector<std::int64_t> doubled_and_halved(std::int64_t size, std::int64_t all) {
  std::vector<std::int64_t> sizes;
  while (size < all) size *= 2;
  for (; size % 2 == 0; size /= 2) sizes.push_back(size);
  sizes.push_back(size);
  return sizes;
}

}  // namespace

std::vector<TileShape> candidate_tiles(const GemmProblem& problem, const TileShape& most) {
  std::vector<TileShape> tiles{most};
  const std::int64_t outputs = most.m * most.n;
  const std::int64_t operands = most.m * most.k + most.k * most.n;
  const std::vector<std::int64_t> depths = doubled_and_halved(most.k, problem.k);
  for (const std::int64_t m : doubled_and_halved(most.m, problem.m)) {
    for (const std::int64_t n : doubled_and_halved(most.n, problem.n)) {
      if (m * n > outputs || m * n * kMostTimesSmaller < outputs) continue;
      const auto carried = [&](std::int64_t k) { return (m + n) * k <= operands; };
      const auto deepest = std::ranges::find_if(depths, carried);
      if (deepest == depths.end()) continue;
      const TileShape tile{m, *deepest, n};
      if (tile != most) tiles.push_back(tile);
    }
  }
  return tiles;
}

}  // namespace kernbench
