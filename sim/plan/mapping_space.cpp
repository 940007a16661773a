#include "sim/plan/mapping_space.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace kernbench {

namespace {

constexpr std::array<std::int64_t, 24> kCuts{1,  2,  3,  4,  5,  6,  7,  8,   10,  12,  14,  16,
                                             20, 24, 28, 32, 48, 64, 96, 128, 192, 256, 384, 512};
constexpr std::array<std::int64_t, 4> kCoarseCuts{1, 4, 16, 64};  // that tiles are compared by
constexpr std::int64_t kMostSearchedSteps = 65536;
constexpr std::int64_t kMostBuffersTried = 3;

/// A dimension cut into equal parts of whole tiles, the largest first.
std::vector<std::int64_t> parts_of(std::int64_t size, std::int64_t tile, std::span<const std::int64_t> all_cuts) {
  std::vector<std::int64_t> parts;
  for (const std::int64_t cuts : all_cuts) {
    const std::int64_t part = std::min(size, ceil_div(ceil_div(size, cuts), tile) * tile);
    if (parts.empty() || part < parts.back()) parts.push_back(part);
  }
  return parts;
}

struct Parts {
  Parts(std::int64_t size, std::int64_t tile) : all(parts_of(size, tile, kCuts)) {
    for (const std::int64_t part : parts_of(size, tile, kCoarseCuts)) {
      coarse.push_back(std::ranges::find(all, part) - all.begin());
    }
  }
  [[nodiscard]] bool is_coarse(std::ptrdiff_t at) const { return std::ranges::find(coarse, at) != coarse.end(); }

  std::vector<std::int64_t> all;
  std::vector<std::ptrdiff_t> coarse;  // their places: each is one of all
};

}  // namespace

MappingSpace::MappingSpace(const GemmProblem& problem, const MappingRequest& request, const TileShape& tile)
    : problem_(problem),
      request_(request),
      tile_(tile),
      sums_(request.sums.value_or(exact_sums(problem.dtype))),
      residencies_{{true, true}, {true, false}, {false, true}, {false, false}} {
  if (request.blocks) residencies_ = {*request.blocks};
}

std::vector<TriedBlock> MappingSpace::blocks() const {
  if (request_.block) return {{*request_.block, 0, true}};
  const Parts m(problem_.m, tile_.m);
  const Parts k(problem_.k, tile_.k);
  const Parts n(problem_.n, tile_.n);
  std::vector<TriedBlock> blocks;
  std::int64_t place = 0;
  for (std::size_t i = 0; i < m.all.size(); ++i) {
    for (std::size_t l = 0; l < k.all.size(); ++l) {
      for (std::size_t j = 0; j < n.all.size(); ++j) {
        const TileShape block{m.all[i], k.all[l], n.all[j]};
        const std::int64_t steps =
            ceil_div(problem_.m, block.m) * ceil_div(problem_.k, block.k) * ceil_div(problem_.n, block.n);
        if (steps > kMostSearchedSteps) continue;
        const auto coarse = [](const Parts& of, std::size_t at) {
          return of.is_coarse(static_cast<std::ptrdiff_t>(at));
        };
        blocks.push_back({block, ++place, coarse(m, i) && coarse(k, l) && coarse(n, j)});
      }
    }
  }
  std::stable_partition(blocks.begin(), blocks.end(), [](const TriedBlock& block) { return block.coarse; });
  return blocks;
}

std::vector<LoopOrder> MappingSpace::orders(const TileShape& block) const {
  const bool many_m = block.m < problem_.m;
  const bool many_k = block.k < problem_.k;
  const bool many_n = block.n < problem_.n;
  if (request_.order) return {*request_.order};
  std::vector<LoopOrder> orders;
  std::vector<std::string> tried;  // orders differ in loops of more than one block alone
  for (const LoopOrder order : kLoopOrders.values()) {
    std::string loops(kLoopOrders[order]);
    std::erase_if(loops, [&](char loop) { return !(loop == 'm' ? many_m : loop == 'k' ? many_k : many_n); });
    if (std::ranges::find(tried, loops) != tried.end()) continue;
    tried.push_back(loops);
    orders.push_back(order);
  }
  return orders;
}

std::vector<std::int64_t> MappingSpace::buffers(const TileShape& block, Residency loaded) const {
  const bool loads = loaded.a || loaded.b || (sums_.place == SumPlace::kHbm && block.k < problem_.k);
  if (request_.buffers) {
    if (*request_.buffers > 1 && !loads && !request_.blocks) return {};
    return {*request_.buffers};
  }
  const bool one_step = block == TileShape{problem_.m, problem_.k, problem_.n};
  if (one_step || !loads) return {1};
  std::vector<std::int64_t> buffers;
  for (std::int64_t count = 1; count <= kMostBuffersTried; ++count) buffers.push_back(count);
  return buffers;
}

}  // namespace kernbench
