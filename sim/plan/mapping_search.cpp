#include "sim/plan/mapping_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <tuple>

#include "sim/base/capacity_error.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/mapping_estimate.hpp"
#include "sim/plan/mapping_tiles.hpp"

namespace kernbench {

namespace {

constexpr std::array<std::int64_t, 24> kCuts{1,  2,  3,  4,  5,  6,  7,  8,   10,  12,  14,  16,
                                             20, 24, 28, 32, 48, 64, 96, 128, 192, 256, 384, 512};
constexpr std::array<std::int64_t, 4> kCoarseCuts{1, 4, 16, 64};  // that tiles are compared by
constexpr std::size_t kTilesSearched = 4;                         // besides pe.mac.tile
constexpr std::int64_t kMostSearchedSteps = 65536;

const std::vector<std::int64_t> kBuffers{1, 2, 3};
const std::vector<std::int64_t> kOneBuffer{1};  // of one step, and where nothing is loaded

/// A dimension cut into equal parts of whole tiles, the largest first.
std::vector<std::int64_t> parts_of(std::int64_t size, std::int64_t tile, std::span<const std::int64_t> all_cuts) {
  std::vector<std::int64_t> parts;
  for (const std::int64_t cuts : all_cuts) {
    const std::int64_t part = std::min(size, ceil_div(ceil_div(size, cuts), tile) * tile);
    if (parts.empty() || part < parts.back()) parts.push_back(part);
  }
  return parts;
}

template <class T>
std::vector<T> asked_or(const std::optional<T>& asked, std::vector<T> all) {
  return asked ? std::vector<T>{*asked} : std::move(all);
}

std::int64_t tiles_of(const GemmProblem& problem, const TileShape& tile) {
  return ceil_div(problem.m, tile.m) * ceil_div(problem.k, tile.k) * ceil_div(problem.n, tile.n);
}

/// What a mapping takes and at least lasts, on a machine of its tile.
RankedMapping ranked(const MappedGemm& mapped, const MachineSpec& machine, Bytes tcm) {
  const GemmProblem& problem = mapped.problem();
  const GemmBound bound = gemm_bound(mapped, machine);
  return {mapped.mapping(),
          bound.pe,
          estimated_time(mapped, bound, machine),
          bound.bottleneck,
          mapped.traffic(),
          tcm,
          mapped.steps(),
          tiles_of(problem, mapped.mapping().tile)};
}

std::tuple<Picoseconds, Bytes, std::int64_t, Bytes> rank(const RankedMapping& mapping) {
  return {mapping.estimate, mapping.traffic, mapping.steps, mapping.tcm};
}

/// All mappings of one tile.
class Search {
 public:
  Search(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request, const TileShape& tile)
      : problem_(problem), request_(request), tile_(tile), machine_(with_tile(machine, tile)) {}

  /// With blocks that are the dimensions cut so, or that which is asked for.
  void run(std::span<const std::int64_t> cuts) {
    if (request_.block) return try_block(*request_.block);
    for (const std::int64_t m : parts_of(problem_.m, tile_.m, cuts)) {
      for (const std::int64_t k : parts_of(problem_.k, tile_.k, cuts)) {
        for (const std::int64_t n : parts_of(problem_.n, tile_.n, cuts)) {
          const std::int64_t steps = ceil_div(problem_.m, m) * ceil_div(problem_.k, k) * ceil_div(problem_.n, n);
          if (steps <= kMostSearchedSteps) try_block({m, k, n});
        }
      }
    }
  }

  [[nodiscard]] const MappingSearch& found() const { return search_; }
  /// Where none was found: why the last one was refused.
  [[nodiscard]] std::exception_ptr refused() const { return refused_; }

 private:
  /// All that one block can be used in: what leaves the same loads and sums is tried once.
  void try_block(const TileShape& block) {
    std::vector<std::string> loops;  // that were tried: orders differ in loops of more than one block alone
    const bool one_step = block == TileShape{problem_.m, problem_.k, problem_.n};
    const std::vector<LoopOrder> orders(kLoopOrders.values().begin(), kLoopOrders.values().end());
    const std::vector<std::int64_t> buffers = one_step ? kOneBuffer : kBuffers;
    const SumStorage sums = request_.sums.value_or(exact_sums(problem_.dtype));
    for (const LoopOrder order : asked_or(request_.order, orders)) {
      std::string of = MappedGemm(problem_, {.tile = tile_, .block = block, .order = order, .sums = sums}).loops();
      if (std::ranges::find(loops, of) != loops.end()) continue;
      loops.push_back(std::move(of));
      for (const Residency blocks : asked_or(request_.blocks, {{true, true}, {true, false}, {false, true}, {}})) {
        const bool loads = blocks.a || blocks.b || (sums.place == SumPlace::kHbm && block.k < problem_.k);
        for (const std::int64_t count : asked_or(request_.buffers, loads ? buffers : kOneBuffer)) {
          if (count > 1 && !loads && !request_.blocks) continue;
          ++search_.tried;
          try_mapping({tile_, block, order, blocks, count, sums});
        }
      }
    }
  }

  void try_mapping(const GemmMapping& mapping) {
    const MappedGemm mapped(problem_, mapping);
    const Bytes tcm = mapped.tcm(machine_);
    if (tcm > machine_.pe.tcm.capacity) {
      if (refused_ == nullptr || mapping.buffers == 1) {
        try {
          check_tcm(mapped, machine_);
        } catch (const CapacityError&) {
          refused_ = std::current_exception();
        }
      }
      return;
    }
    if (mapped.sums_in_hbm() && !has_place(mapped)) return;
    ++search_.fit;
    search_.best.push_back(ranked(mapped, machine_, tcm));
  }

  /// Whether the partition has room for its sums, too.
  bool has_place(const MappedGemm& mapped) {
    try {
      (void)place_gemm(mapped, machine_);
      return true;
    } catch (const CapacityError&) {
      refused_ = std::current_exception();
      return false;
    }
  }

  const GemmProblem& problem_;
  const MappingRequest& request_;
  TileShape tile_;
  MachineSpec machine_;
  MappingSearch search_;
  std::exception_ptr refused_;
};

/// Whether the partition has room for matrices that are laid out in such tiles.
bool has_place(const GemmProblem& problem, const MachineSpec& machine, const TileShape& tile) {
  try {
    (void)place_gemm(problem, with_tile(machine, tile));
    return true;
  } catch (const CapacityError&) {
    return false;
  }
}

/// pe.mac.tile, or the tile that is asked for, first; then those whose best mapping with coarse blocks looks best.
std::vector<TileShape> tiles_to_search(const GemmProblem& problem, const MachineSpec& machine,
                                       const MappingRequest& request) {
  const TileShape& most = machine.pe.mac.tile;
  if (request.tile) return {*request.tile};
  struct Tile {
    TileShape shape;
    RankedMapping best;
  };
  std::vector<Tile> others;
  for (const TileShape& tile : candidate_tiles(problem, most)) {
    if (tile == most || (request.block && !is_block(*request.block, tile, problem))) continue;
    if (!has_place(problem, machine, tile)) continue;
    Search coarse(problem, machine, request, tile);
    coarse.run(kCoarseCuts);
    if (coarse.found().fit > 0) others.push_back({tile, std::ranges::min(coarse.found().best, {}, rank)});
  }
  std::ranges::stable_sort(others, {}, [](const Tile& tile) { return rank(tile.best); });
  if (others.size() > kTilesSearched) others.resize(kTilesSearched);
  std::vector<TileShape> tiles;
  if (others.empty() || !request.block || is_block(*request.block, most, problem)) tiles.push_back(most);
  for (const Tile& tile : others) tiles.push_back(tile.shape);
  return tiles;
}

/// Why none fits, and the largest block that does.
[[noreturn]] void refuse(const GemmProblem& problem, const MachineSpec& machine, MappingRequest request,
                         const std::exception_ptr& refused) {
  if (!request.block) std::rethrow_exception(refused);
  request.block.reset();
  std::optional<RankedMapping> largest;
  try {
    const MappingSearch others = search_mappings(problem, machine, request);
    const auto size = [](const RankedMapping& one) {
      const TileShape& block = one.mapping.block;
      return std::tuple(-block.m * block.k * block.n, one.estimate);
    };
    largest = std::ranges::min(others.best, {}, size);
  } catch (const CapacityError&) {
    std::rethrow_exception(refused);  // no block does
  }
  try {
    std::rethrow_exception(refused);
  } catch (const CapacityError& error) {
    throw CapacityError(std::string(error.what()) + "; the largest block of equal parts that fits is block=" +
                        to_text(largest->mapping.block) + " (" + to_text(largest->mapping) + ")");
  }
}

/// Of one tile.
std::int64_t most_mappings(const GemmProblem& problem, const TileShape& tile) {
  const auto cut = [&](std::int64_t size, std::int64_t of) {
    return static_cast<std::int64_t>(parts_of(size, of, kCuts).size()) - 1;
  };
  const std::int64_t m = cut(problem.m, tile.m);
  const std::int64_t k = cut(problem.k, tile.k);
  const std::int64_t n = cut(problem.n, tile.n);
  const std::int64_t orders = 6 * m * k * n + 2 * (m * k + m * n + k * n) + m + k + n + 1;
  return orders * 4 * static_cast<std::int64_t>(kBuffers.size());
}

}  // namespace

std::int64_t most_mappings(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request) {
  const TileShape own = request.tile.value_or(machine.pe.mac.tile);
  std::int64_t of_others = 0;
  if (!request.tile) {
    for (const TileShape& tile : candidate_tiles(problem, own)) {
      of_others = std::max(of_others, most_mappings(problem, tile));
    }
  }
  return most_mappings(problem, own) + static_cast<std::int64_t>(kTilesSearched) * of_others;
}

namespace {

/// All tiles' mappings; where none fits, `refused` says why.
MappingSearch search_tiles(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request,
                           std::exception_ptr& refused) {
  MappingSearch all;
  for (const TileShape& tile : tiles_to_search(problem, machine, request)) {
    Search search(problem, machine, request, tile);
    search.run(kCuts);
    const MappingSearch& found = search.found();
    all.tried += found.tried;
    all.fit += found.fit;
    all.best.insert(all.best.end(), found.best.begin(), found.best.end());
    if (refused == nullptr) refused = search.refused();
  }
  std::ranges::stable_sort(all.best, {}, rank);
  return all;
}

}  // namespace

MappingSearch search_mappings(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request) {
  std::exception_ptr refused;  // the first one
  MappingSearch found = search_tiles(problem, machine, request, refused);
  if (found.best.empty() && !request.sums && !problem.adds) {
    const std::int64_t tried = found.tried;
    MappingRequest in_hbm = request;
    in_hbm.sums = SumStorage{exact_sums(problem.dtype), SumPlace::kHbm};
    found = search_tiles(problem, machine, in_hbm, refused);
    found.tried += tried;
  }
  if (found.best.empty()) refuse(problem, machine, request, refused);
  return found;
}

double least_traffic(const GemmProblem& problem, Bytes tcm) {
  const auto [m, k, n] =
      std::tuple(static_cast<double>(problem.m), static_cast<double>(problem.k), static_cast<double>(problem.n));
  const auto bytes = [](Dtype dtype) { return static_cast<double>(bytes_of(dtype)); };
  const auto operand = static_cast<double>(problem.least_element());
  const double s = static_cast<double>(tcm) / operand;
  const double once = m * k * bytes(problem.dtype) + k * n * bytes(problem.stored_b()) +
                      m * n * bytes(problem.result()) * (problem.adds ? 2 : 1);
  return std::max(once, (2 * m * n * k / std::sqrt(s) - 2 * s) * operand);
}

}  // namespace kernbench
