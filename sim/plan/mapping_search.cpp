#include "sim/plan/mapping_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/best_mappings.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/mapping_estimate.hpp"
#include "sim/plan/mapping_space.hpp"
#include "sim/plan/mapping_tiles.hpp"

namespace kernbench {

namespace {

constexpr std::size_t kTilesSearched = 4;  // besides pe.mac.tile

/// A mapping that does not fit the machine: in the tile's capacity, or in that of the partition.
struct Refused {
  GemmMapping mapping;
  std::int64_t place = 0;
};

/// All mappings of one tile. A keeper says of each kind of them, by a floor, whether it wants any; of what it does not
/// want nothing more is worked out.
class TileSearch {
 public:
  TileSearch(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request,
             const TileShape& tile, std::int64_t number)
      : problem_(problem),
        tile_(tile),
        machine_(with_tile(machine, tile)),
        space_(problem, request, tile),
        bounds_(problem, machine_),
        place_(number << kPlacesOfTile) {}

  template <class Keeper>
  void run(bool coarse_alone, Keeper& keeper) {
    for (const TriedBlock& block : space_.blocks()) {
      if (coarse_alone && !block.coarse) break;
      for (const Residency loaded : space_.residencies()) try_kind(block, loaded, keeper);
    }
  }

  [[nodiscard]] std::int64_t tried() const { return tried_; }
  [[nodiscard]] bool any_fits() const { return any_fits_; }
  /// The last that does not fit, if any does not.
  [[nodiscard]] const std::optional<Refused>& refused() const { return refused_; }

 private:
  static constexpr int kPlacesOfTile = 40;
  static constexpr int kPlacesOfBlock = 8;
  static constexpr int kPlacesOfOrder = 5;
  static constexpr int kPlacesOfResidency = 3;

  [[nodiscard]] std::int64_t place_of(const TriedBlock& block, const GemmMapping& mapping) const {
    const std::int64_t residency = (mapping.blocks.a ? 0 : 2) + (mapping.blocks.b ? 0 : 1);
    return place_ + (block.place << kPlacesOfBlock) + (static_cast<std::int64_t>(mapping.order) << kPlacesOfOrder) +
           (residency << kPlacesOfResidency) + mapping.buffers;
  }

  /// A block with what is loaded of it: in every order, with all buffers.
  template <class Keeper>
  void try_kind(const TriedBlock& block, Residency loaded, Keeper& keeper) {
    const std::vector<LoopOrder> orders = space_.orders(block.size);
    const std::vector<std::int64_t> buffers = space_.buffers(block.size, loaded);
    if (orders.empty() || buffers.empty()) return;
    tried_ += static_cast<std::int64_t>(orders.size() * buffers.size());
    // One buffer and k innermost take the least TCM.
    const MappedGemm least(problem_, {tile_, block.size, LoopOrder::kMnk, loaded, 1, space_.sums()});
    if (!fits(least)) {
      refuse({tile_, block.size, orders.back(), loaded, buffers.front(), space_.sums()}, block);
      return;
    }
    const Picoseconds bound = bounds_.at_least(least);
    const RankedMapping floor{.mapping = least.mapping(),
                              .bound = bound,
                              .estimate = bound + before_and_after(loaded, machine_),
                              .array = {},
                              .traffic = least.least_read() + least.written(),
                              .steps = least.steps(),
                              .cuts_k = block.size.k < problem_.k};
    if (!keeper.wants(floor)) {
      any_fits_ = true;
      return keeper.leave_out(floor);
    }
    for (const LoopOrder order : orders) {
      for (const std::int64_t count : buffers) {
        try_mapping(block, {tile_, block.size, order, loaded, count, space_.sums()}, keeper);
      }
    }
  }

  template <class Keeper>
  void try_mapping(const TriedBlock& block, const GemmMapping& mapping, Keeper& keeper) {
    const MappedGemm mapped(problem_, mapping);
    if (!fits(mapped)) return refuse(mapping, block);
    any_fits_ = true;
    const GemmBound bound = bounds_.of(mapped);
    RankedMapping ranked{
        .mapping = mapping,
        .bound = bound.pe,
        .estimate = bound.pe + before_and_after(mapping.blocks, machine_),
        .array = bound.mac_work(),
        .traffic = mapped.traffic(),
        .tcm = mapped.tcm(machine_),
        .steps = mapped.steps(),
        .tiles = ceil_div(problem_.m, tile_.m) * ceil_div(problem_.k, tile_.k) * ceil_div(problem_.n, tile_.n),
        .place = place_of(block, mapping),
        .cuts_k = block.size.k < problem_.k};
    if (!keeper.wants(ranked)) return keeper.leave_out(ranked);
    ranked.estimate = estimated_time(mapped, bound, machine_);
    keeper.offer(ranked);
  }

  [[nodiscard]] bool fits(const MappedGemm& mapped) {
    return mapped.tcm(machine_) <= machine_.pe.tcm.capacity && (!mapped.sums_in_hbm() || sums_have_place(mapped));
  }

  /// In the partition; all sums of one tile take the same.
  [[nodiscard]] bool sums_have_place(const MappedGemm& mapped) {
    if (sums_have_place_) return *sums_have_place_;
    try {
      (void)place_gemm(mapped, machine_);
      sums_have_place_ = true;
    } catch (const CapacityError&) {
      sums_have_place_ = false;
    }
    return *sums_have_place_;
  }

  void refuse(const GemmMapping& mapping, const TriedBlock& block) {
    const std::int64_t place = place_of(block, mapping);
    if (!refused_ || place > refused_->place) refused_ = Refused{mapping, place};
  }

  const GemmProblem& problem_;
  TileShape tile_;
  MachineSpec machine_;
  MappingSpace space_;
  GemmBounds bounds_;
  std::int64_t place_;
  std::int64_t tried_ = 0;
  bool any_fits_ = false;
  std::optional<Refused> refused_;
  std::optional<bool> sums_have_place_;
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
  std::int64_t number = 0;
  std::vector<RankedMapping> others;  // the best of each
  for (const TileShape& tile : candidate_tiles(problem, most)) {
    if (tile == most || (request.block && !is_block(*request.block, tile, problem))) continue;
    if (!has_place(problem, machine, tile)) continue;
    BestMappings best(1, by_estimate);
    TileSearch search(problem, machine, request, tile, ++number);
    search.run(true, best);
    others.insert(others.end(), best.kept().begin(), best.kept().end());
  }
  std::ranges::sort(others, ranks_before);
  if (others.size() > kTilesSearched) others.resize(kTilesSearched);
  std::vector<TileShape> tiles;
  if (others.empty() || !request.block || is_block(*request.block, most, problem)) tiles.push_back(most);
  for (const RankedMapping& other : others) tiles.push_back(other.mapping.tile);
  return tiles;
}

struct Searched {
  std::int64_t tried = 0;
  bool any_fits = false;
  std::optional<Refused> refused;  ///< of the first tile of which one does not fit
};

template <class Keeper>
Searched search_tiles(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request,
                      Keeper& keeper) {
  Searched all;
  std::int64_t number = 0;
  for (const TileShape& tile : tiles_to_search(problem, machine, request)) {
    TileSearch search(problem, machine, request, tile, number++);
    search.run(false, keeper);
    all.tried += search.tried();
    all.any_fits = all.any_fits || search.any_fits();
    if (!all.refused) all.refused = search.refused();
  }
  return all;
}

template <class Keeper>
Searched search_all(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request,
                    Keeper& keeper) {
  Searched found = search_tiles(problem, machine, request, keeper);
  if (found.any_fits || request.sums || problem.adds) return found;
  MappingRequest in_hbm = request;
  in_hbm.sums = SumStorage{exact_sums(problem.dtype), SumPlace::kHbm};
  const Searched others = search_tiles(problem, machine, in_hbm, keeper);
  return {found.tried + others.tried, others.any_fits, found.refused};
}

/// Why it does not fit.
void throw_refusal(const GemmProblem& problem, const MachineSpec& machine, const Refused& refused) {
  const MappedGemm mapped(problem, refused.mapping);
  const MachineSpec tiled = with_tile(machine, refused.mapping.tile);
  check_tcm(mapped, tiled);
  (void)place_gemm(mapped, tiled);
}

/// Why none fits, and the largest block that does.
void refuse(const GemmProblem& problem, const MachineSpec& machine, MappingRequest request, const Refused& refused) {
  if (!request.block) return throw_refusal(problem, machine, refused);
  request.block.reset();
  BestMappings largest(1, by_size);
  if (!search_all(problem, machine, request, largest).any_fits) throw_refusal(problem, machine, refused);
  try {
    throw_refusal(problem, machine, refused);
  } catch (const CapacityError& error) {
    const GemmMapping& fits = largest.kept().begin()->mapping;
    throw CapacityError(std::string(error.what()) + "; the largest block of equal parts that fits is block=" +
                        to_text(fits.block) + " (" + to_text(fits) + ")");
  }
}

/// Returns how many were tried; throws where none fits.
template <class Keeper>
std::int64_t search_or_refuse(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request,
                              Keeper& keeper) {
  const Searched found = search_all(problem, machine, request, keeper);
  if (!found.any_fits) refuse(problem, machine, request, found.refused.value());
  return found.tried;
}

RankedMapping first_mapping(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request,
                            MappingKey key) {
  BestMappings first(1, key);
  (void)search_or_refuse(problem, machine, request, first);
  return *first.kept().begin();
}

}  // namespace

bool bytes_cost(const MachineSpec& machine) { return machine.energy.hbm > 0; }

MappingSearch search_mappings(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request,
                              std::size_t count) {
  const MachineSpec seen = with_partition(machine);
  std::optional<double> nearly_ns;
  if (bytes_cost(seen)) {
    nearly_ns = kNearlyAsFast * first_mapping(problem, seen, request, by_estimate).estimate.ns();
  }
  WorthSimulating worth(count, request.tile.value_or(seen.pe.mac.tile), nearly_ns);
  const std::int64_t tried = search_or_refuse(problem, seen, request, worth);
  MappingSearch found = worth.found();
  found.tried = tried;
  return found;
}

RankedMapping least_bound_mapping(const GemmProblem& problem, const MachineSpec& machine,
                                  const MappingRequest& request) {
  return first_mapping(problem, with_partition(machine), request, by_bound);
}

double least_traffic(const GemmProblem& problem, Bytes tcm) {
  const auto [m, k, n] =
      std::tuple(static_cast<double>(problem.m), static_cast<double>(problem.k), static_cast<double>(problem.n));
  const double operand = std::min(bytes_each(problem.dtype), bytes_each(problem.stored_b()));
  const double s = static_cast<double>(tcm) / operand;
  const double once = m * k * bytes_each(problem.dtype) + k * n * bytes_each(problem.stored_b()) +
                      m * n * bytes_each(problem.result()) * (problem.adds ? 2 : 1);
  return std::max(once, (2 * m * n * k / std::sqrt(s) - 2 * s) * operand);
}

}  // namespace kernbench
