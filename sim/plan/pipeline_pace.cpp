#include "sim/plan/pipeline_pace.hpp"

#include <algorithm>

#include "sim/plan/array_work.hpp"
#include "sim/plan/gemm_plan.hpp"

namespace kernbench {

namespace {

/// What units take for a tile that is one of many like it.
struct TilePace {
  Picoseconds period;   // between two of them
  Picoseconds through;  // from its fetch until it has been multiplied
  Picoseconds drain;
};

/// With the bytes of the sum that is fetched with it.
TilePace pace_of(const TileShape& valid, bool leaves, Bytes sum, const GemmProblem& problem, const PeSpec& pe) {
  const ArrayCycles cycles = array_cycles(pe.mac, valid, leaves, problem.dtype);
  const Bytes operands = (valid.m * bytes_of(problem.dtype) + valid.n * bytes_of(problem.stored_b())) * valid.k;
  const Picoseconds fetch = pe.fetch.time_for(operands + sum);
  const Picoseconds load = pe.clock.time_for(cycles.load);
  const Picoseconds multiply = pe.clock.time_for(cycles.multiply);
  const Picoseconds hidden = std::min(load, pe.clock.time_for(cycles.hides));
  // Its registers are taken until it has been multiplied, by weights that are loaded after the fetch.
  const Picoseconds through = fetch + load + multiply;
  const Picoseconds registers{through.value / pe.mac.operand_registers};
  return {std::max({fetch, load - hidden + multiply, registers, pe.scheduler}), through,
          pe.clock.time_for(cycles.drain)};
}

}  // namespace

const PipelinePace& PipelinePaces::of(const GemmMapping& mapping) {
  const std::pair alike(mapping.block.k, mapping.sums.format);
  const auto known = known_.find(alike);
  return known != known_.end() ? known->second : known_.emplace(alike, worked_out(mapping)).first->second;
}

PipelinePace PipelinePaces::worked_out(const GemmMapping& mapping) const {
  const PeSpec& pe = machine_.pe;
  const TileShape& tile = pe.mac.tile;
  const bool partials = problem_.has_partials();
  const Bytes kept = bytes_of(mapping.sums.format);
  PipelinePace pace;
  Picoseconds drain;
  for (const Pieces& m : pieces_of(problem_.m, tile.m)) {
    for (const Pieces& n : pieces_of(problem_.n, tile.n)) {
      std::int64_t first = m.count * n.count;  // of so many results, those that nothing is added to
      if (first == 0) continue;
      for (const Pieces& block : pieces_of(problem_.k, mapping.block.k)) {
        const std::int64_t results = m.count * n.count * block.count;
        if (results == 0) continue;
        const std::int64_t k_tiles = ceil_div(block.size, tile.k);
        const TileShape last{m.size, block.size - (k_tiles - 1) * tile.k, n.size};
        const TilePace inner = pace_of({m.size, tile.k, n.size}, partials, 0, problem_, pe);
        const TilePace sum = pace_of(last, true, m.size * n.size * kept, problem_, pe);
        pace.tiles += results * ((k_tiles - 1) * inner.period + sum.period);
        pace.tiles -= first * (sum.period - pace_of(last, true, 0, problem_, pe).period);
        drain += results * sum.drain;
        first = 0;
      }
    }
  }
  const TileShape all{problem_.m, problem_.k, problem_.n};
  const Picoseconds multiplied = array_work_in_blocks(pe, all, mapping.block.k, partials, problem_.dtype);
  pace.held = {(pace.tiles - multiplied + drain).value / pe.mac.accumulators};

  const bool adds = mapping.block.k < problem_.k;
  const TileShape valid{std::min(tile.m, problem_.m), std::min(tile.k, problem_.k), std::min(tile.n, problem_.n)};
  const std::int64_t elements = valid.m * valid.n;
  const TilePace whole = pace_of(valid, true, adds ? elements * kept : 0, problem_, pe);
  const Cycles work =
      vector_cycles(pe.vector, output_work(problem_).k_tile + (adds ? kAddition : VectorWork{}), elements);
  pace.through = whole.through + whole.drain +
                 pe.clock.time_for(pe.mac.fill_cycles + work + (work > 0 ? pe.vector.latency_cycles : 0)) +
                 pe.store.time_for(elements * (adds ? kept : bytes_of(problem_.result())));
  pace.period = whole.period;
  return pace;
}

}  // namespace kernbench
