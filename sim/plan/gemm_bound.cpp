#include "sim/plan/gemm_bound.hpp"

#include <algorithm>
#include <string_view>

#include "sim/base/checked.hpp"
#include "sim/plan/array_work.hpp"

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
  const Bytes out = step.output.rows * step.output.columns * bytes_of(result);
  const ArrayCycles array = array_cycles(machine.pe.mac, step);
  return {read_path(machine).time_for(streamed),
          machine.pe.fetch.time_for(step.fetch_bytes),
          machine.pe.clock.time_for(step.convert_cycles),
          machine.pe.clock.time_for(array.load) + machine.pe.clock.time_for(array.multiply),
          machine.pe.clock.time_for(step.vector_cycles),
          machine.pe.store.time_for(out),
          write_path(machine).time_for(out)};
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

/// Of the vector unit on results, all pieces of work that an output is to it: its K tiles' products, and with the last
/// of a block along K what is added to or done with the sum.
Cycles cycles_on_results(const MappedGemm& mapped, const GemmMatrices& matrices, const VectorUnitSpec& unit) {
  const std::int64_t blocks = mapped.k_blocks();
  const OutputWork work = output_work(mapped.problem());
  const VectorWork add = blocks > 1 ? kAddition : VectorWork{};
  return over_tiles(matrices.c, [&](std::int64_t elements) {
    const auto cycles = [&](const VectorWork& of) { return vector_cycles(unit, of, elements); };
    const Cycles between = std::max<std::int64_t>(0, blocks - 2) * cycles(work.k_tile + add);
    const Cycles first = blocks > 1 ? cycles(work.k_tile) : 0;
    const std::int64_t others = matrices.a.column_tiles() - blocks;
    return checked_multiply(others, cycles(work.k_tile), kVectorWork, kInCycles) + first + between +
           cycles(work.k_tile + add + work.output);
  });
}

/// And on operands: every tile of B for every row of tiles of C, where it is converted.
Cycles cycles_on_operands(const GemmMatrices& matrices, const VectorUnitSpec& unit) {
  if (matrices.b.dtype == matrices.a.dtype) return 0;
  const Cycles once =
      over_tiles(matrices.b, [&unit](std::int64_t elements) { return vector_cycles(unit, {.convert = 1}, elements); });
  return checked_multiply(matrices.c.row_tiles(), once, kVectorWork, kInCycles);
}

/// What the first step loads: it comes before everything else.
Bytes loaded_first(const MappedGemm& mapped, const GemmMatrices& matrices) {
  const Residency blocks = mapped.mapping().blocks;
  return (blocks.a ? mapped.a(matrices.a, {}).matrix.element_bytes() : 0) +
         (blocks.b ? mapped.b(matrices.b, {}).matrix.element_bytes() : 0);
}

/// What is loaded besides, of operands of which more than one block is.
Bytes loaded_later(const MappedGemm& mapped, const GemmMatrices& matrices) {
  const auto later = [](std::int64_t loads, std::int64_t times, const MatrixLayout& whole, const MatrixLayout& first) {
    return loads > 1 ? times * whole.element_bytes() - first.element_bytes() : 0;
  };
  return later(mapped.loads_of_a(), mapped.times_a(), matrices.a, mapped.a(matrices.a, {}).matrix) +
         later(mapped.loads_of_b(), mapped.times_b(), matrices.b, mapped.b(matrices.b, {}).matrix);
}

/// At most what is loaded before the first composite starts, besides the first step's blocks.
Bytes loaded_ahead(const MappedGemm& mapped, const GemmMatrices& matrices) {
  const auto ahead = [&mapped](std::int64_t loads, const MatrixLayout& block) {
    return std::max<std::int64_t>(0, std::min(mapped.mapping().buffers, loads) - 1) * block.element_bytes();
  };
  return ahead(mapped.loads_of_a(), mapped.a(matrices.a, {}).matrix) +
         ahead(mapped.loads_of_b(), mapped.b(matrices.b, {}).matrix);
}

/// Of the array, for a part of the problem with all of K, or for all of it.
Picoseconds work_of_array(const MappedGemm& mapped, const TileShape& size, const PeSpec& pe) {
  const bool partials = mapped.problem().has_partials();
  const Dtype dtype = mapped.problem().dtype;
  if (mapped.steps() == 1) return array_work(pe, size, partials, dtype);
  return array_work_in_blocks(pe, size, mapped.mapping().block.k, partials, dtype);
}

Picoseconds work_of_last_step(const MappedGemm& mapped, const GemmMatrices& matrices, const PeSpec& pe) {
  const BlockStep last = mapped.at(mapped.steps() - 1);
  const MatrixLayout a = mapped.a(matrices.a, last).matrix;
  return array_work_in_blocks(pe, {a.rows, a.columns, mapped.b(matrices.b, last).matrix.columns}, a.columns,
                              mapped.problem().has_partials(), mapped.problem().dtype);
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

Picoseconds longest_of(const std::vector<BoundTerm>& terms) {
  Picoseconds longest{};
  for (const BoundTerm& term : terms) longest = std::max(longest, term.total());
  return longest;
}

/// Of the terms that take so long.
std::string resources_of(const std::vector<BoundTerm>& terms, Picoseconds time) {
  std::string resources;
  for (const BoundTerm& term : terms) {
    if (term.total() == time && term.work > Picoseconds{}) resources += (resources.empty() ? "" : "+") + term.resource;
  }
  return resources;
}

}  // namespace

Picoseconds GemmBound::mac_work() const { return std::ranges::find(terms, "mac", &BoundTerm::resource)->work; }

Bandwidth read_path(const MachineSpec& machine) {
  return std::min({machine.die.hbm.bandwidth, machine.die.router.link, machine.pe.tcm.write});
}

Bandwidth write_path(const MachineSpec& machine) { return std::min(machine.die.router.link, machine.pe.tcm.read); }

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

/// What the array works on when dma_in has ended: of operands that are loaded the last step's come before all of its
/// tiles, streamed ones before the last.
static Picoseconds array_after_dma(const MappedGemm& mapped, const GemmMatrices& matrices, const PeSpec& pe,
                                   Picoseconds last_tile, bool loads_later) {
  const bool streams = !mapped.mapping().blocks.a || !mapped.mapping().blocks.b;
  return streams || !loads_later ? last_tile : work_of_last_step(mapped, matrices, pe);
}

GemmBound gemm_bound(const MappedGemm& mapped, const MachineSpec& machine) {
  check_tcm(mapped, machine);
  const PeSpec& pe = machine.pe;
  const GemmMatrices matrices = place_gemm(mapped, machine);
  const TilePlan first_step = plan_of(mapped, matrices, {}, pe);
  const TilePlan last_step = plan_of(mapped, matrices, mapped.at(mapped.steps() - 1), pe);
  const std::int64_t m_tiles = matrices.c.row_tiles();
  const std::int64_t n_tiles = matrices.c.column_tiles();
  const std::int64_t first_k_tiles = first_step.tiles / first_step.outputs;

  const Bytes a = matrices.a.element_bytes();
  const Bytes b = matrices.b.element_bytes();
  const Bytes c = matrices.c.element_bytes();
  const Bytes kept = bytes_of(mapped.mapping().sums.format);
  const Bytes sums = (mapped.k_blocks() - 1) * matrices.c.rows * matrices.c.columns * kept;
  const Bytes sum_loads = mapped.bytes_of_sum_loads();
  const Bytes first_loads = loaded_first(mapped, matrices);
  const Bytes later = mapped.times_a() * a + mapped.times_b() * b - first_loads + sum_loads;
  const bool operands_later = mapped.loads_of_a() > 1 || mapped.loads_of_b() > 1;
  const bool loads_later = operands_later || sum_loads > 0;
  // What the first loads' credits let come early of the later ones.
  const Bytes early = loads_later ? pe.dma.outstanding_bursts * machine.die.hbm.burst : 0;
  const Bytes written = c + mapped.bytes_of_sum_stores();
  const Bytes hbm = hbm_bytes(std::max<Bytes>(0, later - early), written, queued_writes(machine));
  const Bytes fetched = n_tiles * a + m_tiles * b + sums + (mapped.problem().adds ? c : 0);
  const bool partials = mapped.problem().has_partials();

  const StageTimes first = times_of(first_step.step(0), machine, matrices.c.dtype);
  const Dtype first_out = mapped.sums_in_hbm() ? dtype_of(mapped.mapping().sums.format) : matrices.c.dtype;
  const StageTimes first_output = times_of(first_step.step(first_k_tiles - 1), machine, first_out);
  const StageTimes last = times_of(last_step.step(last_step.tiles - 1), machine, matrices.c.dtype);
  const Picoseconds fetched_first = first.dma_in + first.fetch;
  const Picoseconds before_array = fetched_first + first.convert;
  const auto [rows, columns] = std::pair(matrices.c.rows_of(0), matrices.c.columns_of(0));
  const std::int64_t inner = std::min(mapped.mapping().block.k, mapped.problem().k);
  // A partial product goes to the vector unit at once, a whole output tile after its last product.
  const Picoseconds multiplied = before_array + work_of_array(mapped, {rows, inner, columns}, pe);
  const Cycles on_operands = cycles_on_operands(matrices, pe.vector);
  const Picoseconds before_results = partials ? before_array + first.mac : multiplied;
  const Picoseconds before_vector = on_operands > 0 ? fetched_first : before_results;
  const Picoseconds before_store = multiplied + first_output.vector;
  // The first output that leaves has all of K, or goes to HBM as a sum.
  const std::int64_t k_until_out = mapped.sums_in_hbm() ? inner : mapped.problem().k;
  const Picoseconds until_out = work_of_array(mapped, {rows, k_until_out, columns}, pe);
  const Picoseconds before_out = before_array + until_out + first_output.vector + first_output.store;
  const Picoseconds out = last.store + last.dma_out;
  const Picoseconds after_array = last.vector + out;
  const Picoseconds after_fetch = last.convert + last.mac + after_array;
  // Its last work is on the last output, or else on the last tile's operand.
  const bool ends_with_operand = on_operands > 0 && last.vector == Picoseconds{};
  const Picoseconds after_vector = ends_with_operand ? last.mac + out : out;
  const Picoseconds after_dma =
      array_after_dma(mapped, matrices, pe, last.mac, loads_later) + last.fetch + last.convert + after_array;

  // With one buffer what is loaded again has to wait until what is there has been multiplied.
  const bool one_buffer = operands_later && mapped.mapping().buffers == 1;
  const Picoseconds serial = one_buffer ? read_path(machine).time_for(loaded_later(mapped, matrices)) : Picoseconds{};

  const TileShape all{mapped.problem().m, mapped.problem().k, mapped.problem().n};
  // An accumulator set is taken from an output's first product until it has been stored.
  const Cycles on_results = cycles_on_results(mapped, matrices, pe.vector);
  const std::int64_t results = m_tiles * n_tiles * mapped.k_blocks();
  // The vector unit works on those that a sum is added to, which the last along K is, and else on finished ones.
  const bool adds = mapped.k_blocks() > 1;
  const bool works_on_outputs = last.vector > Picoseconds{};
  const std::int64_t worked_on = adds ? results - m_tiles * n_tiles : works_on_outputs ? results : 0;
  const Picoseconds held =
      partials ? Picoseconds{}
               : array_work_in_blocks(pe, all, mapped.mapping().block.k, false, mapped.problem().dtype) +
                     results * pe.clock.time_for(pe.mac.fill_cycles) + pe.clock.time_for(on_results) +
                     worked_on * pe.clock.time_for(pe.vector.latency_cycles) + pe.store.time_for(c + sums);

  GemmBound bound;
  bound.terms = {
      {"hbm", {}, machine.die.hbm.bandwidth.time_for(hbm), {}},
      {"dma_in", {}, read_path(machine).time_for(later), after_dma},
      {"fetch", first.dma_in, pe.fetch.time_for(fetched), after_fetch},
      {"mac", before_array + serial, work_of_array(mapped, pe), after_array},
      {"accumulators", before_array, Picoseconds{held.value / pe.mac.accumulators}, last.dma_out},
      {"vector", before_vector, pe.clock.time_for(on_operands + on_results), after_vector},
      {"store", before_store, pe.store.time_for(c + sums), last.dma_out},
      {"dma_out", before_out, write_path(machine).time_for(written), {}},
  };
  if (on_operands > 0) {
    // A tile has its registers from its fetch on until it has been multiplied.
    const Picoseconds occupied =
        pe.fetch.time_for(fetched) + pe.clock.time_for(on_operands) +
        m_tiles * n_tiles * matrices.a.column_tiles() * pe.clock.time_for(pe.vector.latency_cycles) +
        array_work_in_blocks(pe, all, mapped.mapping().block.k, partials, mapped.problem().dtype);
    bound.terms.push_back(
        {"registers", first.dma_in, Picoseconds{occupied.value / pe.mac.operand_registers}, after_array});
  }
  const Picoseconds longest = longest_of(bound.terms);
  bound.bottleneck = resources_of(bound.terms, longest);
  // What is loaded ahead may all be there when the first composite starts.
  const Bytes ahead = loaded_ahead(mapped, matrices);
  for (const BoundTerm& term : bound.terms) {
    BoundTerm in_composites = term;
    if (ahead > 0 && term.resource == "hbm") {
      in_composites.work = machine.die.hbm.bandwidth.time_for(std::max<Bytes>(0, hbm - ahead));
    }
    if (ahead > 0 && term.resource == "dma_in") {
      in_composites.work = read_path(machine).time_for(std::max<Bytes>(0, later - ahead));
    }
    bound.composite = std::max(bound.composite, in_composites.total());
  }
  const Bytes bias = mapped.problem().has_epilogue(VectorOp::kBias) ? matrices.bias.element_bytes() : 0;
  bound.pe = read_path(machine).time_for(first_loads + bias) + longest;
  return bound;
}

}  // namespace kernbench
