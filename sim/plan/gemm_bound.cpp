#include "sim/plan/gemm_bound.hpp"

#include <algorithm>
#include <string_view>

#include "sim/base/checked.hpp"

namespace kernbench {

namespace {

/// What the stages take for one tile, or for all of them.
struct StageTimes {
  Picoseconds dma_in;
  Picoseconds fetch;
  Picoseconds vector;
  Picoseconds store;
  Picoseconds dma_out;
};

Bandwidth read_path(const MachineSpec& machine) {
  return std::min({machine.die.hbm.bandwidth, machine.die.router.link, machine.pe.tcm.write});
}

/// The memory acknowledges before it writes.
Bandwidth write_path(const MachineSpec& machine) { return std::min(machine.die.router.link, machine.pe.tcm.read); }

StageTimes times_of(const TileStep& step, const MachineSpec& machine) {
  const Bytes streamed = step.streamed_bytes();
  const Bytes out = step.output.rows * step.output.columns * kElementBytes;
  return {read_path(machine).time_for(streamed), machine.pe.fetch.time_for(step.fetch_bytes),
          machine.pe.clock.time_for(step.vector_cycles), machine.pe.store.time_for(out),
          write_path(machine).time_for(out)};
}

/// n x each + more.
Cycles cycles(std::int64_t n, Cycles each, Cycles more) {
  constexpr std::string_view kWhat = "work of the vector unit";
  return checked_add(checked_multiply(n, each, kWhat, kInCycles), more, kWhat, kInCycles);
}

/// Cycles of the vector unit over the whole plan: output tiles have at most two heights and two widths.
Cycles all_vector_cycles(const TilePlan& plan, const GemmMatrices& matrices) {
  const std::int64_t k_tiles = matrices.a.column_tiles();
  const std::int64_t last_i = matrices.c.row_tiles() - 1;
  const std::int64_t last_j = matrices.c.column_tiles() - 1;
  const auto output_cycles = [&](std::int64_t i, std::int64_t j) {
    const std::int64_t first = (i * (last_j + 1) + j) * k_tiles;
    const Cycles before_last = k_tiles > 1 ? plan.step(first).vector_cycles : 0;
    return cycles(k_tiles - 1, before_last, plan.step(first + k_tiles - 1).vector_cycles);
  };
  Cycles sum = output_cycles(last_i, last_j);
  sum = cycles(last_j, output_cycles(last_i, 0), sum);
  sum = cycles(last_i, output_cycles(0, last_j), sum);
  return cycles(last_i * last_j, output_cycles(0, 0), sum);
}

}  // namespace

Picoseconds GemmBound::mac_work() const { return std::ranges::find(terms, "mac", &BoundTerm::resource)->work; }

Bytes queued_writes(const MachineSpec& machine) {
  const HbmSpec& hbm = machine.die.hbm;
  const std::int64_t packet = ceil_div(machine.simulation.packet / hbm.burst, hbm.pseudo_channels);
  return hbm.pseudo_channels * (hbm.write_queue - 1 + packet) * hbm.burst;
}

GemmBound gemm_bound(const GemmProblem& problem, Residency residency, const MachineSpec& machine) {
  const GemmMatrices matrices = place_gemm(problem, machine);
  const TilePlan plan = make_gemm_plan(problem, loaded(problem, matrices, residency), machine.pe);
  const std::int64_t m_tiles = matrices.c.row_tiles();
  const std::int64_t n_tiles = matrices.c.column_tiles();
  const std::int64_t k_tiles = matrices.a.column_tiles();
  const PeSpec& pe = machine.pe;

  const Bytes a = matrices.a.element_bytes();
  const Bytes b = matrices.b.element_bytes();
  const Bytes c = matrices.c.element_bytes();
  const Bytes streamed = (residency.a ? 0 : n_tiles * a) + (residency.b ? 0 : m_tiles * b);
  const Bytes fetched = n_tiles * a + m_tiles * b;
  Bytes loaded = (residency.a ? a : 0) + (residency.b ? b : 0);
  if (problem.has_epilogue(VectorOp::kBias)) loaded += matrices.bias.element_bytes();

  const StageTimes first = times_of(plan.step(0), machine);
  const StageTimes first_output = times_of(plan.step(k_tiles - 1), machine);
  const StageTimes last = times_of(plan.step(plan.tiles - 1), machine);
  const Picoseconds tile = pe.tile_time();
  const Picoseconds before_array = first.dma_in + first.fetch;
  // A partial product goes to the vector unit at once, a whole output tile after its last product.
  const bool partial = plan.step(0).partial;
  const Picoseconds before_vector = before_array + (partial ? 1 : k_tiles) * tile;
  const Picoseconds before_store = before_array + k_tiles * tile + first_output.vector;
  const Picoseconds out = last.store + last.dma_out;

  GemmBound bound;
  bound.terms = {
      {"hbm", {}, machine.die.hbm.bandwidth.time_for(streamed + std::max<Bytes>(0, c - queued_writes(machine))), {}},
      {"dma_in", {}, read_path(machine).time_for(streamed), last.fetch + tile + last.vector + out},
      {"fetch", first.dma_in, pe.fetch.time_for(fetched), tile + last.vector + out},
      {"mac", before_array, plan.tiles * tile, last.vector + out},
      {"vector", before_vector, pe.clock.time_for(all_vector_cycles(plan, matrices)), out},
      {"store", before_store, pe.store.time_for(c), last.dma_out},
      {"dma_out", before_store + first_output.store, write_path(machine).time_for(c), {}},
  };
  for (const BoundTerm& term : bound.terms) bound.composite = std::max(bound.composite, term.total());
  for (const BoundTerm& term : bound.terms) {
    if (term.total() == bound.composite && term.work > Picoseconds{}) {
      bound.bottleneck += (bound.bottleneck.empty() ? "" : "+") + term.resource;
    }
  }
  bound.pe = read_path(machine).time_for(loaded) + bound.composite;
  return bound;
}

}  // namespace kernbench
