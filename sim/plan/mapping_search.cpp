#include "sim/plan/mapping_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "sim/base/capacity_error.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {

namespace {

constexpr std::array<std::int64_t, 24> kCuts{1,  2,  3,  4,  5,  6,  7,  8,   10,  12,  14,  16,
                                             20, 24, 28, 32, 48, 64, 96, 128, 192, 256, 384, 512};
constexpr std::int64_t kMostSearchedSteps = 65536;

/// A dimension cut into equal parts of whole tiles, the largest first.
std::vector<std::int64_t> parts_of(std::int64_t size, std::int64_t tile) {
  std::vector<std::int64_t> parts;
  for (const std::int64_t cuts : kCuts) {
    const std::int64_t part = std::min(size, ceil_div(ceil_div(size, cuts), tile) * tile);
    if (parts.empty() || part < parts.back()) parts.push_back(part);
  }
  return parts;
}

template <class T>
std::vector<T> asked_or(const std::optional<T>& asked, std::vector<T> all) {
  return asked ? std::vector<T>{*asked} : std::move(all);
}

/// What a mapping takes and at least lasts, on a machine of its tile.
RankedMapping ranked(const MappedGemm& mapped, const MachineSpec& machine, Bytes tcm) {
  const GemmProblem& problem = mapped.problem();
  const GemmBound bound = gemm_bound(mapped, machine);
  const Bytes traffic =
      (mapped.times_a() * problem.m * problem.k + mapped.times_b() * problem.k * problem.n) * bytes_of(problem.dtype) +
      problem.m * problem.n * bytes_of(result_of(problem.dtype));
  return {mapped.mapping(), bound.pe, bound.bottleneck, traffic, tcm, mapped.steps()};
}

/// All that one block can be used in: what leaves the same loads and sums is tried once.
class Search {
 public:
  Search(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request)
      : problem_(problem), machine_(machine), request_(request) {}

  MappingSearch run() {
    const TileShape tile = request_.tile.value_or(machine_.pe.mac.tile);
    tiled_ = with_tile(machine_, tile);
    (void)place_gemm(problem_, tiled_);  // what no mapping can do is told first
    if (request_.block) {
      try_block(tile, *request_.block);
    } else {
      for (const std::int64_t m : parts_of(problem_.m, tile.m)) {
        for (const std::int64_t k : parts_of(problem_.k, tile.k)) {
          for (const std::int64_t n : parts_of(problem_.n, tile.n)) {
            const std::int64_t steps = ceil_div(problem_.m, m) * ceil_div(problem_.k, k) * ceil_div(problem_.n, n);
            if (steps <= kMostSearchedSteps) try_block(tile, {m, k, n});
          }
        }
      }
    }
    if (search_.best.empty()) std::rethrow_exception(refused_);
    std::ranges::sort(search_.best, {}, [](const RankedMapping& mapping) {
      return std::tuple(mapping.bound, mapping.traffic, mapping.steps, mapping.tcm);
    });
    return std::move(search_);
  }

 private:
  void try_block(const TileShape& tile, const TileShape& block) {
    std::vector<std::string> loops;  // that were tried: orders differ in loops of more than one block alone
    const bool one_step = block == TileShape{problem_.m, problem_.k, problem_.n};
    const std::vector<LoopOrder> orders(kLoopOrders.values().begin(), kLoopOrders.values().end());
    const std::vector<std::int64_t> buffers =
        one_step ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2, 3};
    const SumFormat sums = request_.sums.value_or(exact_sums(problem_.dtype));
    for (const LoopOrder order : asked_or(request_.order, orders)) {
      std::string of = MappedGemm(problem_, {.tile = tile, .block = block, .order = order, .sums = sums}).loops();
      if (std::ranges::find(loops, of) != loops.end()) continue;
      loops.push_back(std::move(of));
      for (const Residency blocks : asked_or(request_.blocks, {{true, true}, {true, false}, {false, true}, {}})) {
        for (const std::int64_t count : asked_or(request_.buffers, buffers)) {
          const GemmMapping mapping{tile, block, order, blocks, count, sums};
          ++search_.tried;
          try_mapping(mapping);
        }
      }
    }
  }

  void try_mapping(const GemmMapping& mapping) {
    const MappedGemm mapped(problem_, mapping);
    const Bytes tcm = mapped.tcm(tiled_);
    if (tcm > tiled_.pe.tcm.capacity) {
      if (refused_ == nullptr || mapping.buffers == 1) {
        try {
          check_tcm(mapped, tiled_);
        } catch (const CapacityError&) {
          refused_ = std::current_exception();
        }
      }
      return;
    }
    ++search_.fit;
    search_.best.push_back(ranked(mapped, tiled_, tcm));
  }

  const GemmProblem& problem_;
  const MachineSpec& machine_;
  const MappingRequest& request_;
  MachineSpec tiled_;
  MappingSearch search_;
  std::exception_ptr refused_;
};

}  // namespace

MappingSearch search_mappings(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request) {
  return Search(problem, machine, request).run();
}

double least_traffic(const GemmProblem& problem, Bytes tcm) {
  const auto [m, k, n] =
      std::tuple(static_cast<double>(problem.m), static_cast<double>(problem.k), static_cast<double>(problem.n));
  const auto operand = static_cast<double>(bytes_of(problem.dtype));
  const double s = static_cast<double>(tcm) / operand;
  const double once = (m * k + k * n) * operand + m * n * static_cast<double>(bytes_of(result_of(problem.dtype)));
  return std::max(once, (2 * m * n * k / std::sqrt(s) - 2 * s) * operand);
}

}  // namespace kernbench
