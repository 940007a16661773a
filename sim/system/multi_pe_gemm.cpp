#include "sim/system/multi_pe_gemm.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "sim/base/capacity_error.hpp"
#include "sim/base/registry.hpp"
#include "sim/machine/array_cycles.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/machine/tcm_given.hpp"
#include "sim/plan/multi_pe_mapping.hpp"
#include "sim/system/independent.hpp"
#include "sim/system/kernel_names.hpp"
#include "sim/system/mapped_gemm.hpp"
#include "sim/system/multi_pe_mapped.hpp"

namespace kernbench {

namespace {

constexpr const char* kGemmLaunch = "the GEMM";
constexpr std::size_t kCutsNamed = 4;

Registry<MultiPeGemmKernel>& multi_pe_registry() {
  static Registry<MultiPeGemmKernel> kernels("variant");
  return kernels;
}

/// Gives every PE's parts of A and B their values.
void fill_parts(System& system, const PlacedGemm& gemm, const std::vector<std::int32_t>& pes) {
  for (std::size_t rank = 0; rank < pes.size(); ++rank) {
    ValueStore& partition = *system.store(pes[rank], MemoryTier::kHbm);
    const auto pe = static_cast<int>(rank);
    for (const auto& [matrix, number] : {std::pair(&gemm.a, kOperandA), std::pair(&gemm.b, kOperandB)}) {
      const Rect has = matrix->tiles(pe);
      const MatrixLayout& part = matrix->part(pe);
      fill_matrix(part, operand_values(number, has.rows.begin * part.tile_rows, has.columns.begin * part.tile_columns),
                  partition);
    }
  }
}

void check_parts(System& system, const PlacedGemm& gemm, const MultiPeGemmKernel& kernel,
                 const std::vector<std::int32_t>& pes) {
  GemmReference reference(gemm.problem);
  const MatrixElement expected =
      kernel.reference != nullptr ? kernel.reference(gemm) : MatrixElement(std::ref(reference));
  Differences differences;
  for (std::size_t rank = 0; rank < pes.size(); ++rank) {
    const auto pe = static_cast<int>(rank);
    const Rect has = gemm.c.tiles(pe);
    const MatrixLayout& part = gemm.c.part(pe);
    differences.compare(part, expected, *system.store(pes[rank], MemoryTier::kHbm), "C",
                        has.rows.begin * part.tile_rows, has.columns.begin * part.tile_columns);
  }
  differences.refuse();
}

/// The kernel's first one with the block and buffers that are asked for.
GridCut chosen_cut(const std::vector<GridCut>& cuts, GemmPlacement asked, const PlacedGemm& gemm,
                   const std::string& kernel) {
  const auto found = std::ranges::find_if(cuts, [&](const GridCut& cut) {
    return (asked.block.m == 0 || asked.block == cut.block) && (asked.buffers == 0 || asked.buffers == cut.rooms);
  });
  if (found != cuts.end()) return *found;
  asked.grid = {gemm.c.grid_rows(), gemm.c.grid_columns()};  // others have other ways
  std::string fitting;
  for (std::size_t i = 0; i < std::min(cuts.size(), kCutsNamed); ++i) {
    fitting += (i == 0 ? "" : "; ") + ("block=" + to_text(cuts[i].block)) + ",buffers=" + std::to_string(cuts[i].rooms);
  }
  throw ConfigError("--place " + to_text(asked) + ": expected one of " + std::to_string(cuts.size()) +
                    " ways that fit variant " + kernel + ", the best first: " + fitting +
                    (cuts.size() > kCutsNamed ? "; ..." : ""));
}

PlacedGemm placed(const MachineSpec& machine, const MultiPeGemmRequest& request, const MultiPeGemmKernel& kernel,
                  const std::vector<MemoryNode>& memories) {
  check_multi_pe(request.problem, machine.pe.mac);
  if (kernel.queues > 0) require_section(machine, "pe.message_queue", "a GEMM whose PEs send each other messages");
  const int group = request.mapping ? static_cast<int>(request.mapping->split_k) : 0;
  const Bytes tcm = request.tcm == 0 ? machine.pe.tcm.capacity : request.tcm;
  PlacedGemm gemm = place_multi_pe_gemm(request.problem, request.placement,
                                        {kernel.products, tcm - slots_of(kernel, machine), group, request.multiplying},
                                        machine, memories);
  gemm.mapping = request.mapping;
  if (kernel.check != nullptr) kernel.check(gemm);
  if (gemm.mapping) place_sums(gemm, machine);
  if (kernel.cuts != nullptr) {
    gemm.cut = chosen_cut(kernel.cuts(gemm, machine), request.placement, gemm, kernel.name);
  } else if (request.placement.block.m > 0 || request.placement.buffers > 0) {
    throw ConfigError(
        "--place " + to_text(request.placement) + ": " + (request.mapping ? "a mapping" : "variant " + kernel.name) +
        " has no steps with blocks and buffers of their own; expected --variant grid_multicast or grid_shift");
  }
  return gemm;
}

GemmPlacement placement_with_cut(GemmPlacement placement, const MultiPeGemmKernel& kernel, const PlacedGemm& gemm) {
  if (kernel.cuts == nullptr) return placement;
  placement.grid = {gemm.c.grid_rows(), gemm.c.grid_columns()};
  placement.block = gemm.cut.block;
  placement.buffers = gemm.cut.rooms;
  return placement;
}

MachineSpec tiled_for(const MachineSpec& machine, const MultiPeGemmRequest& request) {
  return request.mapping ? with_tile(machine, request.mapping->local.tile) : machine;
}

}  // namespace

RegisterMultiPeGemmKernel::RegisterMultiPeGemmKernel(MultiPeGemmKernel kernel, SourcePlace place) {
  multi_pe_registry().add(std::move(kernel), place);
}

MatrixElement added_round_ring(std::vector<GemmReference> products, const PlacedMatrix& c) {
  // A row of a tile at once: groups are rounded together.
  return [products = std::move(products), c, row_of = std::int64_t{-1}, tile_of = std::int64_t{-1},
          sums = std::vector<float>()](std::int64_t row, std::int64_t column) mutable {
    const MatrixLayout& shape = c.shape();
    const std::int64_t tile = column / shape.tile_columns;
    if (row != row_of || tile != tile_of) {
      const auto size = static_cast<int>(products.size());
      const int owner = c.owner(row / shape.tile_rows, tile, 0) % size;
      sums.assign(static_cast<std::size_t>(shape.columns_of(tile)), 0.0F);
      for (int next = owner + 1; next <= owner + size; ++next) {
        GemmReference& product = products[static_cast<std::size_t>(next % size)];
        std::vector<float> values;
        for (std::int64_t i = 0; i < std::ssize(sums); ++i)
          values.push_back(product(row, tile * shape.tile_columns + i));
        round_row(values, shape.dtype);
        std::ranges::transform(values, sums, sums.begin(), std::plus<>());
        round_row(sums, shape.dtype);
      }
      std::tie(row_of, tile_of) = std::pair(row, tile);
    }
    return sums[static_cast<std::size_t>(column % shape.tile_columns)];
  };
}

const std::vector<MultiPeGemmKernel>& multi_pe_gemm_kernels() { return multi_pe_registry().all(); }

const MultiPeGemmKernel& find_multi_pe_gemm_kernel(const std::string& name) {
  refuse_other_kinds(KernelKind::kMultiPeGemm, name);
  return multi_pe_registry().find(name);
}

void check_multi_pe(const GemmProblem& problem, const MacArraySpec& array) {
  expect_rate(array, problem.dtype);
  check_operands(problem.dtype, problem.stored_b());
  check_epilogues(problem.epilogues, problem.dtype);
  if (problem.has_epilogue(VectorOp::kBias)) {
    throw ConfigError("--epilogue bias: over several PEs expected scale, relu, gelu, silu");
  }
}

PlacedGemm place_multi_pe_gemm(const MachineSpec& machine, const MultiPeGemmRequest& request,
                               const std::vector<MemoryNode>& memories) {
  return placed(machine, request, kernel_of(request), memories);
}

const MultiPeGemmKernel& kernel_of(const MultiPeGemmRequest& request) {
  return request.mapping ? multi_pe_mapped_kernel(*request.mapping) : find_multi_pe_gemm_kernel(request.kernel);
}

Bytes slots_of(const MultiPeGemmKernel& kernel, const MachineSpec& machine) {
  const MessageQueueSpec& queue = machine.pe.message_queue;
  return queue.tier == MemoryTier::kTcm ? kernel.queues * queue.slots * message_slot_stride(machine) : 0;
}

MultiPeGemmPlan plan_multi_pe_gemm(const MachineSpec& machine, const NetworkPlan& plan,
                                   const MultiPeGemmRequest& request) {
  const MultiPeGemmKernel& kernel = kernel_of(request);
  const MachineSpec tiled = tiled_for(machine, request);
  const PlacedGemm gemm = placed(tiled, request, kernel, std::vector<MemoryNode>(request.pes.size(), 0));
  std::set<MemoryNode> memories;
  for (const std::int32_t pe : request.pes) memories.insert(plan.hbm_of(pe));
  const MultiPeWork work = kernel.work(gemm, tiled);
  if (work.tcm() > gemm.tcm) {
    throw CapacityError("variant " + kernel.name + ": a PE needs " + std::to_string(work.tcm()) + " bytes of TCM and " +
                        tcm_given(gemm.tcm, machine.pe.tcm.capacity + machine.pe.tcm.taken - gemm.tcm) + ": " +
                        missing_bytes(work.tcm() - gemm.tcm) + "; take more PEs or another variant");
  }
  return {.placement = placement_with_cut(request.placement, kernel, gemm),
          .bound = multi_pe_gemm_bound(work, tiled, plan, request.pes),
          .largest_part_of_c = gemm.largest_part_of_c(),
          .idle = std::ranges::count(work.pes(), Picoseconds{}, &PeWork::array),
          .bytes_of_pe = gemm.bytes_of_pe,
          .tcm = work.tcm() + slots_of(kernel, tiled),
          .replicated = replicated_bytes(gemm, static_cast<std::int64_t>(memories.size())),
          .apart = kernel.by_place && !alike_pes(gemm, tiled.die.hbm).empty()};
}

MultiPeGemmLaunch::MultiPeGemmLaunch(System& system, const MultiPeGemmRequest& request, const MultiPeGemmKernel& kernel)
    : KernelLaunch(
          kGemmLaunch, [this](KernelPe pe) { return kernel_.run(pe, gemm_); }, request.pes),
      kernel_(kernel) {
  std::vector<MemoryNode> memories;
  for (const std::int32_t pe : request.pes) memories.push_back(system.memory_node(pe, MemoryTier::kHbm));
  gemm_ = std::make_shared<const PlacedGemm>(placed(system.machine(), request, kernel, memories));
  system.allocate_in_hbm(request.pes, gemm_->bytes_of_pe, "the GEMM's matrices");
  if (system.values() != nullptr) fill_parts(system, *gemm_, request.pes);
}

void MultiPeGemmLaunch::check(System& system) const { check_parts(system, *gemm_, kernel_, pes()); }

namespace {

/// Tiles of the PE that multiplies most.
std::int64_t most_tiles(const PlacedGemm& gemm) { return gemm.largest_part_of_c() * gemm.a.shape().column_tiles(); }

/// A mapping has as many steps as its largest part, that of PE 0, or fewer.
CountedOn counted_on(const PlacedGemm& gemm) {
  if (gemm.mapping) return counted_on(mapped_part(gemm, 0)->mapped);
  return most_tiles(gemm) >= kLeastTilesRepeated ? CountedOn::kTiles : CountedOn::kNothing;
}

/// Nothing where PEs have to do with each other.
std::optional<IndependentKernel> taken_apart(const MachineSpec& machine, const MultiPeGemmRequest& request) {
  const MultiPeGemmKernel& kernel = kernel_of(request);
  if (!kernel.by_place) return std::nullopt;
  const std::vector<MemoryNode> nowhere(request.pes.size(), 0);
  const auto gemm = std::make_shared<const PlacedGemm>(placed(machine, request, kernel, nowhere));
  IndependentKernel apart{.name = kGemmLaunch,
                          .program = [&kernel, gemm](KernelPe pe) { return kernel.run(pe, gemm); },
                          .pes = request.pes,
                          .alike = alike_pes(*gemm, machine.die.hbm),
                          .counted_on = counted_on(*gemm)};
  if (apart.alike.empty()) return std::nullopt;
  return apart;
}

}  // namespace

MultiPeResult run_multi_pe_gemm(const MachineSpec& machine, const MultiPeGemmRequest& request,
                                const RunSettings& settings) {
  const MachineSpec tiled = tiled_for(machine, request);
  if (may_run_independently(settings)) {
    if (const std::optional<IndependentKernel> apart = taken_apart(tiled, request)) {
      return run_independent(tiled, *apart, settings);
    }
  }
  System system(tiled, {.sink = settings.sink, .values = settings.verify, .ledger = true});
  MultiPeGemmLaunch launch(system, request);
  run_launches(system, {&launch}, settings.limit);
  if (settings.verify) launch.check(system);
  return report_of(system, launch);
}

}  // namespace kernbench
