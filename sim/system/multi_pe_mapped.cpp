#include "sim/system/multi_pe_mapped.hpp"

#include <algorithm>
#include <set>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/multi_pe_mapping.hpp"
#include "sim/system/mapped_gemm.hpp"

namespace kernbench {

namespace {

/// Tiles of a matrix as a PE finds them; none where they are its own part, as its layout says.
struct Found {
  MatrixLayout matrix;
  TileMap tiles{};
};

Found found(const MultiPeGemmCall& gemm, const PlacedMatrix PlacedGemm::*matrix, const Rect& tiles, int pe) {
  const PlacedMatrix& all = (*gemm).*matrix;
  if (all.tiles(pe) == tiles) return {all.part(pe)};
  return {all.piece(tiles), [gemm, matrix, tiles, pe](std::int64_t i, std::int64_t j) {
            return ((*gemm).*matrix).tile(tiles.rows.begin + i, tiles.columns.begin + j, pe);
          }};
}

/// C of a group in the product of one of its PEs.
Found product_of(const MultiPeGemmCall& gemm, const Rect& tiles, int pe) {
  return {gemm->c.piece(tiles), [gemm, tiles, pe](std::int64_t i, std::int64_t j) {
            const std::int64_t row = tiles.rows.begin + i;
            const std::int64_t column = tiles.columns.begin + j;
            const int owner = gemm->c.owner(row, column, 0);
            const Rect has = gemm->c.tiles(owner);
            return gemm->product(owner, pe).tile(row - has.rows.begin, column - has.columns.begin);
          }};
}

GemmCall call_of(const MultiPeGemmCall& gemm, const MappedPart& part, int pe) {
  GemmCall call{part.mapped.problem()};
  const Found a = found(gemm, &PlacedGemm::a, part.a, pe);
  const Found b = found(gemm, &PlacedGemm::b, part.b, pe);
  call.matrices.a = a.matrix;
  call.matrices.a_tiles = a.tiles;
  call.matrices.b = b.matrix;
  call.matrices.b_tiles = b.tiles;
  call.matrices.c = gemm->c.part(pe);
  if (gemm->mapping->split_k == 1) return call;
  const Found c = product_of(gemm, part.c, pe);
  call.matrices.c = c.matrix;
  call.matrices.c_tiles = c.tiles;
  return call;
}

Process run(KernelPe pe, MultiPeGemmCall gemm) {
  const std::int32_t rank = pe.rank();
  const std::optional<MappedPart> part = mapped_part(*gemm, rank);
  if (!part) co_return;
  const auto mapped = std::make_shared<const MappedGemm>(part->mapped);
  GemmCall call = call_of(gemm, *part, rank);
  if (mapped->sums_in_hbm()) {
    call.matrices.kept = mapped->sums_layout(pe.machine().die.hbm.burst)
                             .at(kOwnPartition, gemm->kept[static_cast<std::size_t>(rank) % gemm->kept.size()]);
  }
  const Process multiplied = run_mapped(pe, call, mapped);
  co_await multiplied.finished();
  const auto size = static_cast<std::int32_t>(gemm->mapping->split_k);
  const std::int32_t first = part->first;
  const std::int32_t at = rank - first;
  for (std::int32_t step = 0; step + 1 < size; ++step) {
    const MatrixLayout goes = gemm->product(first + (at + 2 * size - 1 - step) % size, rank);
    const MatrixLayout comes = gemm->product(first + (at + 2 * size - 2 - step) % size, rank);
    Pending sent = Pending::nothing();
    if (goes.rows > 0 && goes.columns > 0) sent = co_await pe.send(goes, first + (at + 1) % size);
    if (comes.rows > 0 && comes.columns > 0) co_await pe.recv_add(comes, first + (at + size - 1) % size);
    co_await pe.wait(sent);
  }
}

/// Each PE's product is rounded to C's dtype, and each sum: the part of the PE that has part s of K begins with the
/// product of s + 1 and ends with its own.
MatrixElement reference(const PlacedGemm& gemm) {
  const MultiPeMapping& mapping = *gemm.mapping;
  const auto size = static_cast<int>(mapping.split_k);
  const std::int64_t tile = gemm.a.shape().tile_columns;
  std::vector<GemmReference> products;
  for (std::int64_t part = 0; part < size; ++part) {
    const Interval tiles = k_tiles_of(gemm, part);
    const Interval k{tiles.begin * tile, std::min(gemm.problem.k, tiles.end * tile)};
    const SumRounding rounding{std::min(mapping.local.block.k, k.size()), dtype_of(mapping.local.sums.format)};
    products.emplace_back(gemm.problem, k, rounding);
  }
  if (size == 1) return products.front();
  const auto rounded = [dtype = gemm.problem.result()](float value) { return kernbench::rounded(value, dtype); };
  return [=, c = gemm.c](std::int64_t row, std::int64_t column) mutable {
    const int owner = c.owner(row / c.shape().tile_rows, column / c.shape().tile_columns, 0) % size;
    const auto product = [&](int part) {
      return rounded(products[static_cast<std::size_t>(part % size)](row, column));
    };
    float sum = product(owner + 1);
    for (int next = owner + 2; next <= owner + size; ++next) sum = rounded(product(next) + sum);
    return sum;
  };
}

constexpr auto kReplicate = PlacementPolicy::kReplicate;
constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;
constexpr std::size_t kOfEach = 4;         // mappings of a part that are planned for each split and placement,
constexpr std::size_t kLookedAt = 64;      // of the first ones: a smaller part may not have what the largest has
constexpr std::int64_t kGroupsWithin = 2;  // times the first one's estimate

/// The largest part, as pe.mac.tile, or the tile that is asked for, cuts it.
GemmProblem largest_part(const PlacedGemm& gemm) {
  GemmProblem largest = gemm.problem;
  std::int64_t macs = 0;
  for (int pe = 0; pe < gemm.pes; ++pe) {
    const std::optional<MappedPart> part = mapped_part(gemm, pe);
    if (!part || part->mapped.problem().macs() <= macs) continue;
    largest = part->mapped.problem();
    macs = largest.macs();
  }
  return largest;
}

/// Adding up goes after multiplying: a part is read, sent, read and written again in each step.
Picoseconds adding_up(const RankedMultiPeMapping& ranked, const GemmProblem& problem, std::size_t pes,
                      const MachineSpec& machine) {
  const std::int64_t steps = ranked.mapping.split_k - 1;
  const Bytes part = ceil_div(problem.m * problem.n, static_cast<std::int64_t>(pes)) * bytes_of(problem.result());
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
    return largest_part(gemm);
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

const MultiPeGemmKernel kWhole{.name = "mapped",
                               .summary = "each PE computes its part of C by a mapping",
                               .placements = {{kRows, kReplicate, kRows},
                                              {kReplicate, kColumns, kColumns},
                                              {kReplicate, kReplicate, PlacementPolicy::kBlocks}},
                               .by_place = true,
                               .check = check_mapped,
                               .work = mapped_work,
                               .run = run,
                               .reference = reference};

const MultiPeGemmKernel kSplit{.name = "mapped",
                               .summary = "groups of PEs split K, and add their products up round a ring",
                               .placements = {{kColumns, kRows, kRows},
                                              {kColumns, kRows, kColumns},
                                              {kReplicate, kReplicate, kRows},
                                              {kReplicate, kReplicate, kColumns}},
                               .products = true,
                               .queues = 1,
                               .check = check_mapped,
                               .work = mapped_work,
                               .run = run,
                               .reference = reference};

}  // namespace

const MultiPeGemmKernel& multi_pe_mapped_kernel(const MultiPeMapping& mapping) {
  return mapping.split_k > 1 ? kSplit : kWhole;
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
