#include "sim/plan/gemm_bound.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "sim/base/checked.hpp"
#include "sim/machine/tcm_paths.hpp"
#include "sim/plan/array_work.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/register_blocks.hpp"

namespace kernbench {

namespace {

/// What the stages take for one tile, or for all of them.
struct StageTimes {
  Picoseconds dma_in;
  Picoseconds fetch;
  Picoseconds convert;
  Picoseconds mac;
  Picoseconds vector;
  Picoseconds store;
  Picoseconds dma_out;
};

StageTimes times_of(const TileStep& step, const MachineSpec& machine, Dtype result) {
  const Bytes streamed = step.streamed_bytes();
  const Bytes out = step.output.rows * bytes_of(step.output.columns, result);
  const ArrayCycles array = array_cycles(machine.pe.mac, step);
  return {read_path(machine).time_for(streamed),
          machine.pe.fetch.time_for(step.fetch_bytes),
          machine.pe.clock.time_for(step.convert_cycles),
          machine.pe.clock.time_for(array.load) + machine.pe.clock.time_for(array.multiply),
          machine.pe.clock.time_for(step.vector_cycles),
          machine.pe.store.time_for(out),
          out_of_tcm(machine).time_for(out)};
}

constexpr const char* kVectorWork = "work of the vector unit";

/// Cycles of the vector unit that `of_tile` takes for its elements, over all tiles of a matrix, which have at most two
/// heights and two widths.
template <class CyclesOfTile>
Cycles over_tiles(const MatrixLayout& matrix, const CyclesOfTile& of_tile) {
  const std::int64_t last_i = matrix.row_tiles() - 1;
  const std::int64_t last_j = matrix.column_tiles() - 1;
  Cycles sum = 0;
  const auto add = [&](std::int64_t count, std::int64_t i, std::int64_t j) {
    const Cycles once = of_tile(matrix.rows_of(i) * matrix.columns_of(j));
    sum = checked_add(sum, checked_multiply(count, once, kVectorWork, kInCycles), kVectorWork, kInCycles);
  };
  add(1, last_i, last_j);
  add(last_j, last_i, 0);
  add(last_i, 0, last_j);
  add(last_i * last_j, 0, 0);
  return sum;
}

/// Whether sums between the first and the last block along K are added by store (32.6).
bool adds_by_store(const MappedGemm& mapped, const PeSpec& pe) {
  return pe.store_accumulates() && !mapped.sums_in_hbm();
}

/// Of the vector unit on results, all pieces of work that an output is to it: its K tiles' products, and with the last
/// of a block along K what is added to or done with the sum.
Cycles cycles_on_results(const MappedGemm& mapped, const GemmMatrices& matrices, const PeSpec& pe) {
  const VectorUnitSpec& unit = pe.vector;
  const std::int64_t blocks = mapped.k_blocks();
  const OutputWork work = output_work(mapped.problem());
  const VectorWork add = blocks > 1 ? kAddition : VectorWork{};
  return over_tiles(matrices.c, [&](std::int64_t elements) {
    const auto cycles = [&](const VectorWork& of) { return vector_cycles(unit, of, elements); };
    const Cycles between =
        std::max<std::int64_t>(0, blocks - 2) * cycles(work.k_tile + (adds_by_store(mapped, pe) ? VectorWork{} : add));
    const Cycles first = blocks > 1 ? cycles(work.k_tile) : 0;
    const std::int64_t others = matrices.a.column_tiles() - blocks;
    return checked_multiply(others, cycles(work.k_tile), kVectorWork, kInCycles) + first + between +
           cycles(work.k_tile + add + work.output);
  });
}

/// And on operands: every tile of B for every row of tiles of C, where it is converted.
Cycles cycles_on_operands(const GemmMatrices& matrices, const VectorUnitSpec& unit) {
  return conversion_cycles(matrices.b, matrices.c.row_tiles(), matrices.a.dtype, unit);
}

/// Of A and B, by all composites, each of a block.
Bytes fetched_operands(const MappedGemm& mapped, const GemmMatrices& matrices, const MacArraySpec& array) {
  const TileShape& block = mapped.mapping().block;
  const TileShape& tile = array.tile;
  const Residency loaded = mapped.mapping().blocks;
  const auto [a, b] = std::pair(matrices.a.dtype, matrices.b.dtype);
  const Bytes of_tile = bytes_of(tile.n, b);
  const FetchedLines lines = fetched_lines(
      array.register_block, {matrices.c.rows, tile.m, ceil_div(block.m, tile.m)},
      {bytes_of_row(matrices.c.columns, tile.n, b), of_tile, ceil_div(block.n, tile.n)}, loaded.a, loaded.b && a == b);
  return lines.rows * bytes_of_row(matrices.a.columns, tile.k, a) + lines.columns * matrices.a.columns;
}

/// What the first step loads: it comes before everything else.
Bytes loaded_first(const MappedGemm& mapped) {
  const Residency blocks = mapped.mapping().blocks;
  return (blocks.a ? mapped.block_of_a() : 0) + (blocks.b ? mapped.block_of_b() : 0);
}

/// What is loaded besides, of operands of which more than one block is.
Bytes loaded_later(const MappedGemm& mapped, const GemmMatrices& matrices) {
  return (mapped.loads_of_a() > 1 ? mapped.times_a() * matrices.a.element_bytes() - mapped.block_of_a() : 0) +
         (mapped.loads_of_b() > 1 ? mapped.times_b() * matrices.b.element_bytes() - mapped.block_of_b() : 0);
}

/// At most what is loaded before the first composite starts, besides the first step's blocks.
Bytes loaded_ahead(const MappedGemm& mapped) {
  const auto ahead = [&mapped](std::int64_t loads, Bytes block) {
    return std::max<std::int64_t>(0, std::min(mapped.mapping().buffers, loads) - 1) * block;
  };
  return ahead(mapped.loads_of_a(), mapped.block_of_a()) + ahead(mapped.loads_of_b(), mapped.block_of_b());
}

/// By the HBM, less what credits of the first loads let come early of the later ones.
Bytes hbm_moves(Bytes later, Bytes written, bool loads_later, const MachineSpec& machine) {
  const Bytes early = loads_later ? machine.pe.dma.outstanding_bursts * machine.die.hbm.burst : 0;
  return hbm_bytes(std::max<Bytes>(0, later - early), written, queued_writes(machine));
}

/// Of the array, for a part of the problem with all of K, or for all of it.
Picoseconds work_of_array(const MappedGemm& mapped, const TileShape& size, const PeSpec& pe) {
  const bool partials = mapped.problem().has_partials();
  const Dtype dtype = mapped.problem().dtype;
  if (mapped.steps() == 1) return array_work(pe, size, partials, dtype);
  return array_work_in_blocks(pe, size, mapped.mapping().block.k, partials, dtype);
}

/// The plan of one step's composite.
TilePlan plan_of(const MappedGemm& mapped, const GemmMatrices& whole, const BlockStep& step, const PeSpec& pe) {
  const Residency blocks = mapped.mapping().blocks;
  GemmMatrices matrices = whole;
  matrices.a = mapped.a(whole.a, step).matrix.at(blocks.a ? kOwnTcm : kOwnPartition, 0);
  matrices.b = mapped.b(whole.b, step).matrix.at(blocks.b ? kOwnTcm : kOwnPartition, 0);
  matrices.c = mapped.c(whole.c, step).matrix;
  matrices.bias = whole.bias.at(kOwnTcm, 0);
  GemmProblem problem = mapped.problem();
  const MatrixLayout sums = mapped.sums_layout(whole.c.burst);
  const MatrixLayout added = mapped.c(mapped.problem().adds ? whole.c : sums, step).matrix.at(kOwnTcm, 0);
  matrices.sums = mapped.sums_of(sums, step, mapped.adds_loaded(step) ? added : MatrixLayout{});
  if (matrices.sums.keep) problem.epilogues = per_k_tile(problem.epilogues);
  return make_gemm_plan(problem, matrices, pe);
}

}  // namespace

Cycles conversion_cycles(const MatrixLayout& b, std::int64_t times, Dtype dtype, const VectorUnitSpec& unit) {
  if (b.dtype == dtype) return 0;
  const Cycles once =
      over_tiles(b, [&unit](std::int64_t elements) { return vector_cycles(unit, {.convert = 1}, elements); });
  return checked_multiply(times, once, kVectorWork, kInCycles);
}

Picoseconds GemmBound::mac_work() const { return std::ranges::find(terms, "mac", &BoundTerm::resource)->work; }

Picoseconds GemmBound::longest() const { return std::ranges::max(terms, {}, &BoundTerm::total).total(); }

std::string GemmBound::bottleneck() const {
  const Picoseconds time = longest();
  std::string resources;
  for (const BoundTerm& term : terms) {
    if (term.total() != time || term.work == Picoseconds{}) continue;
    resources += (resources.empty() ? "" : "+") + std::string(term.resource);
  }
  return resources;
}

Bytes queued_writes(const MachineSpec& machine) {
  const HbmSpec& hbm = machine.die.hbm;
  const std::int64_t packet = ceil_div(machine.simulation.packet / hbm.burst, hbm.pseudo_channels);
  return hbm.pseudo_channels * (hbm.write_queue - 1 + packet) * hbm.burst;
}

Picoseconds work_of_array(const MappedGemm& mapped, const PeSpec& pe) {
  const GemmProblem& problem = mapped.problem();
  return work_of_array(mapped, {problem.m, problem.k, problem.n}, pe);
}

GemmBound gemm_bound(const GemmProblem& problem, Residency residency, const MachineSpec& machine) {
  // What does not fit is told in the words of variants.
  (void)make_gemm_plan(problem, loaded(problem, place_gemm(problem, machine), residency), machine.pe);
  return gemm_bound(MappedGemm(problem, whole_mapping(problem, machine.pe.mac.tile, residency)), machine);
}

GemmBound gemm_bound(const MappedGemm& mapped, const MachineSpec& machine) {
  check_tcm(mapped, machine);
  (void)place_gemm(mapped, machine);
  const MachineSpec seen = with_partition(machine);
  return GemmBounds(mapped.problem(), seen).of(mapped);
}

static constexpr std::size_t kHbm = 0;
static constexpr std::size_t kDmaIn = 1;
static constexpr std::size_t kMac = 3;

GemmBounds::GemmBounds(const GemmProblem& problem, const MachineSpec& machine)
    : problem_(problem),
      machine_(machine),
      roomy_(machine.pe),
      matrices_(place_gemm(problem, machine)),
      bias_(problem.has_epilogue(VectorOp::kBias) ? matrices_.bias.element_bytes() : 0) {
  roomy_.tcm.capacity = std::numeric_limits<Bytes>::max();
}

const GemmBounds::Common& GemmBounds::common_of(const MappedGemm& mapped) {
  const auto& [tile, block, order, blocks, buffers, sums] = mapped.mapping();
  const bool by_sides = machine_.pe.mac.register_block.tiles() > 1;  // of the block: what is fetched again
  const Alike alike{block.k,
                    blocks.a,
                    blocks.b,
                    sums.format,
                    sums.place,
                    mapped.steps() == 1,
                    by_sides ? block.m : 0,
                    by_sides ? block.n : 0};
  const auto known = common_.find(alike);
  return known != common_.end() ? known->second : common_.emplace(alike, worked_out(mapped)).first->second;
}

GemmBounds::Common GemmBounds::worked_out(const MappedGemm& mapped) const {
  const PeSpec& pe = machine_.pe;
  const TilePlan first_step = plan_of(mapped, matrices_, {}, roomy_);
  const TilePlan last_step = plan_of(mapped, matrices_, mapped.at(mapped.steps() - 1), roomy_);
  const std::int64_t m_tiles = matrices_.c.row_tiles();
  const std::int64_t n_tiles = matrices_.c.column_tiles();
  const Bytes c = matrices_.c.element_bytes();
  const bool by_store = adds_by_store(mapped, pe);
  const auto sums_of = [&](std::int64_t blocks) {
    return bytes_of(std::max<std::int64_t>(0, blocks) * matrices_.c.rows * matrices_.c.columns,
                    mapped.mapping().sums.format);
  };
  const std::int64_t kept = mapped.k_blocks() - 1;
  const Bytes sums = sums_of(kept);
  const Bytes accumulated = by_store ? sums_of(kept - 1) : 0;
  const Picoseconds stored = pe.store.time_for(c + sums - accumulated) +
                             (accumulated > 0 ? pe.accumulate.time_for(accumulated) : Picoseconds{});
  const Bytes fetched = fetched_operands(mapped, matrices_, pe.mac) + sums - accumulated + (problem_.adds ? c : 0);
  const bool partials = problem_.has_partials();

  const StageTimes first = times_of(first_step.step(0), machine_, matrices_.c.dtype);
  const Dtype first_out = mapped.sums_in_hbm() ? dtype_of(mapped.mapping().sums.format) : matrices_.c.dtype;
  const auto [last_i, last_j, last_k] = first_step.step(first_step.tiles - 1).index;
  const RegisterBlocks order(pe.mac.register_block, {last_i + 1, last_k + 1, last_j + 1});
  const StageTimes first_output = times_of(first_step.step(order.first_complete()), machine_, first_out);
  const StageTimes last = times_of(last_step.step(last_step.tiles - 1), machine_, matrices_.c.dtype);
  const Picoseconds fetched_first = first.dma_in + first.fetch;
  const Picoseconds before_array = fetched_first + first.convert;
  const auto [rows, columns] = std::pair(matrices_.c.rows_of(0), matrices_.c.columns_of(0));
  const std::int64_t inner = std::min(mapped.mapping().block.k, problem_.k);
  // A partial product goes to the vector unit at once, a whole output tile after its last product.
  const Picoseconds multiplied = before_array + work_of_array(mapped, {rows, inner, columns}, pe);
  const Cycles on_operands = cycles_on_operands(matrices_, pe.vector);
  const Picoseconds before_results = partials ? before_array + first.mac : multiplied;
  const Picoseconds before_vector = on_operands > 0 ? fetched_first : before_results;
  const Picoseconds before_store = multiplied + first_output.vector;
  // The first output that leaves has all of K, or goes to HBM as a sum.
  const std::int64_t k_until_out = mapped.sums_in_hbm() ? inner : problem_.k;
  const Picoseconds until_out = work_of_array(mapped, {rows, k_until_out, columns}, pe);
  const Picoseconds before_out = before_array + until_out + first_output.vector + first_output.store;
  const Picoseconds out = last.store + last.dma_out;
  const Picoseconds after_array = last.vector + out;
  const Picoseconds after_fetch = last.convert + last.mac + after_array;
  // Its last work is on the last output, or else on the last tile's operand.
  const bool ends_with_operand = on_operands > 0 && last.vector == Picoseconds{};
  const Picoseconds after_vector = ends_with_operand ? last.mac + out : out;

  const TileShape all{problem_.m, problem_.k, problem_.n};
  // An accumulator set is taken from an output's first product until it has been stored.
  const Cycles on_results = cycles_on_results(mapped, matrices_, pe);
  const std::int64_t results = m_tiles * n_tiles * mapped.k_blocks();
  // The vector unit works on those that a sum is added to, which the last along K is, and else on finished ones.
  const bool adds = mapped.k_blocks() > 1;
  const bool works_on_outputs = last.vector > Picoseconds{};
  const std::int64_t added_to = by_store ? m_tiles * n_tiles : results - m_tiles * n_tiles;
  const std::int64_t worked_on = adds ? added_to : works_on_outputs ? results : 0;
  const Picoseconds held = partials
                               ? Picoseconds{}
                               : array_work_in_blocks(pe, all, mapped.mapping().block.k, false, problem_.dtype) +
                                     results * pe.clock.time_for(pe.mac.fill_cycles) + pe.clock.time_for(on_results) +
                                     worked_on * pe.clock.time_for(pe.vector.latency_cycles) + stored;

  Common common;
  common.last_product = last.mac;
  common.terms = {
      {"hbm", {}, {}, {}},
      {"dma_in", {}, {}, last.fetch + last.convert + after_array},
      {"fetch", first.dma_in, pe.fetch.time_for(fetched), after_fetch},
      {"mac", before_array, work_of_array(mapped, pe), after_array},
      {"accumulators", before_array, Picoseconds{held.value / pe.mac.accumulators}, last.dma_out},
      {"vector", before_vector, pe.clock.time_for(on_operands + on_results), after_vector},
      {"store", before_store, stored, last.dma_out},
      {"dma_out", before_out, out_of_tcm(machine_).time_for(mapped.written()), {}},
  };
  if (on_operands > 0) {
    // A tile has its registers from its fetch on until it has been multiplied.
    const Picoseconds occupied =
        pe.fetch.time_for(fetched) + pe.clock.time_for(on_operands) +
        m_tiles * n_tiles * matrices_.a.column_tiles() * pe.clock.time_for(pe.vector.latency_cycles) +
        array_work_in_blocks(pe, all, mapped.mapping().block.k, partials, problem_.dtype);
    common.terms.push_back(
        {"registers", first.dma_in, Picoseconds{occupied.value / pe.mac.operand_registers}, after_array});
  }
  for (std::size_t i = kDmaIn + 1; i < common.terms.size(); ++i) {
    common.longest = std::max(common.longest, common.terms[i].total());
  }
  return common;
}

/// What the array works on it.
Picoseconds GemmBounds::last_step_of(const MappedGemm& mapped) {
  const TileShape& block = mapped.mapping().block;
  if (last_step_.first == block) return last_step_.second;
  const auto last = [](std::int64_t size, std::int64_t part) { return size - (ceil_div(size, part) - 1) * part; };
  const TileShape size{last(problem_.m, block.m), last(problem_.k, block.k), last(problem_.n, block.n)};
  last_step_ = {block, array_work_in_blocks(machine_.pe, size, size.k, problem_.has_partials(), problem_.dtype)};
  return last_step_.second;
}

GemmBound GemmBounds::of(const MappedGemm& mapped) {
  const Common& common = common_of(mapped);
  const Bandwidth path = read_path(machine_);
  const Bandwidth memory = machine_.die.hbm.bandwidth;
  const Residency blocks = mapped.mapping().blocks;
  const Bytes first_loads = loaded_first(mapped);
  const Bytes later = mapped.read() - first_loads;
  const bool operands_later = mapped.loads_of_a() > 1 || mapped.loads_of_b() > 1;
  const bool loads_later = operands_later || mapped.bytes_of_sum_loads() > 0;
  const Bytes moved = hbm_moves(later, mapped.written(), loads_later, machine_);

  GemmBound bound;
  bound.terms = common.terms;
  BoundTerm& hbm = bound.terms[kHbm];
  BoundTerm& dma_in = bound.terms[kDmaIn];
  hbm.work = memory.time_for(moved);
  dma_in.work = path.time_for(later);
  // What the array works on when dma_in has ended: of operands that are loaded the last step's come before all of its
  // tiles, streamed ones before the last.
  dma_in.tail += blocks.a && blocks.b && loads_later ? last_step_of(mapped) : common.last_product;
  // With one buffer what is loaded again has to wait until what is there has been multiplied.
  if (operands_later && mapped.mapping().buffers == 1) {
    bound.terms[kMac].head += path.time_for(loaded_later(mapped, matrices_));
  }
  const Picoseconds longest = bound.longest();
  bound.pe = path.time_for(first_loads + bias_) + longest;
  bound.composite = longest;
  // What is loaded ahead may all be there when the first composite starts.
  if (const Bytes ahead = loaded_ahead(mapped); ahead > 0) {
    GemmBound in_composites = bound;
    in_composites.terms[kHbm].work = memory.time_for(std::max<Bytes>(0, moved - ahead));
    in_composites.terms[kDmaIn].work = path.time_for(std::max<Bytes>(0, later - ahead));
    bound.composite = in_composites.longest();
  }
  return bound;
}

Picoseconds GemmBounds::at_least(const MappedGemm& mapped) {
  const Common& common = common_of(mapped);
  const Bandwidth path = read_path(machine_);
  const Bytes first_loads = loaded_first(mapped);
  const Bytes later = mapped.least_read() - first_loads;
  const Picoseconds memory = machine_.die.hbm.bandwidth.time_for(hbm_moves(later, mapped.written(), true, machine_));
  return path.time_for(first_loads + bias_) +
         std::max({common.longest, memory, path.time_for(later) + common.terms[kDmaIn].tail});
}

}  // namespace kernbench
