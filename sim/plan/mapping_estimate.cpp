#include "sim/plan/mapping_estimate.hpp"

#include <algorithm>

#include "sim/machine/array_cycles.hpp"

namespace kernbench {

namespace {

/// A streamed tile has its place in TCM from its request on.
Picoseconds all_streamed_tiles(const MappedGemm& mapped, Picoseconds latency, const MachineSpec& machine) {
  const GemmProblem& problem = mapped.problem();
  const TileShape& tile = mapped.mapping().tile;
  const Residency blocks = mapped.mapping().blocks;
  const std::int64_t tiles = ceil_div(problem.m, tile.m) * ceil_div(problem.k, tile.k) * ceil_div(problem.n, tile.n);
  const Bytes bytes = (blocks.a ? 0 : tile.m * bytes_of(tile.k, problem.dtype)) +
                      (blocks.b ? 0 : tile.k * bytes_of(tile.n, problem.stored_b()));
  const Picoseconds transfer = machine.die.hbm.bandwidth.time_for(bytes);
  return ceil_div(tiles, machine.pe.stream_depth) * (latency + transfer);
}

/// For which results hold accumulator sets, in all, while they leave the array (31.2).
Picoseconds drain_of_results(const MappedGemm& mapped, const MachineSpec& machine) {
  const GemmProblem& problem = mapped.problem();
  const TileShape& tile = mapped.mapping().tile;
  const std::int64_t results = ceil_div(problem.m, tile.m) * ceil_div(problem.n, tile.n) * mapped.k_blocks();
  const TileShape valid{std::min(tile.m, problem.m), std::min(tile.k, problem.k), std::min(tile.n, problem.n)};
  return results * machine.pe.clock.time_for(array_cycles(machine.pe.mac, valid, true, problem.dtype).drain);
}

/// Of everything that is read, where no more than DMA credits is under way.
Picoseconds all_reads_by_credits(const MappedGemm& mapped, const MachineSpec& machine) {
  const DieSpec& die = machine.die;
  const Picoseconds way =
      die.wire.delay(die.wire.pe_to_router_um) + die.router.hop + die.wire.delay(die.wire.hbm_to_router_um);
  const Picoseconds round_trip = 2 * way + die.hbm.bandwidth.time_for(die.hbm.pseudo_channels * die.hbm.burst) +
                                 die.hbm.read_latency + die.router.link.time_for(machine.simulation.packet);
  return {ceil_mul_div(mapped.read(), round_trip.value, machine.pe.dma.outstanding_bursts * die.hbm.burst)};
}

/// A further load of a step is asked for when the step that used its buffer is done, and waited for `buffers` − 1 steps
/// later.
Picoseconds all_later_loads(const MappedGemm& mapped, Picoseconds latency, Picoseconds steady,
                            const MachineSpec& machine) {
  const auto later = [](std::int64_t loads) { return std::max<std::int64_t>(0, loads - 1); };
  const std::int64_t of_sums = mapped.loads_of_sums();
  const std::int64_t times = std::max({later(mapped.loads_of_a()), later(mapped.loads_of_b()), of_sums});
  const std::int64_t calls = later(mapped.loads_of_a()) + later(mapped.loads_of_b()) + of_sums;
  if (times == 0) return steady;
  const Bytes bytes = (mapped.loads_of_a() > 1 ? mapped.block_of_a() : 0) +
                      (mapped.loads_of_b() > 1 ? mapped.block_of_b() : 0) + (of_sums > 0 ? mapped.block_of_sums() : 0);
  const Picoseconds waits = times * latency + 2 * calls * machine.pe.control;
  // Sums that the step before has stored do not come ahead.
  const bool in_turn = mapped.sums_in_hbm() && mapped.steps_per_k_block() == 1;
  const std::int64_t ahead = in_turn ? 0 : mapped.mapping().buffers - 1;
  if (ahead == 0) return steady + waits;
  return std::max(steady, Picoseconds{(waits + times * machine.die.hbm.bandwidth.time_for(bytes)).value / ahead});
}

}  // namespace

Picoseconds before_and_after(Residency blocks, const MachineSpec& machine) {
  const Picoseconds latency = machine.pe.dma.setup + machine.die.hbm.read_latency;
  const std::int64_t loaded = (blocks.a ? 1 : 0) + (blocks.b ? 1 : 0);
  const std::int64_t streamed = 2 - loaded;
  return (2 * loaded + streamed + 2) * machine.pe.control + (loaded > 0 ? latency : Picoseconds{}) +
         (streamed > 0 ? latency : Picoseconds{});
}

Picoseconds estimated_time(const MappedGemm& mapped, const GemmBound& bound, const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
  const Picoseconds latency = pe.dma.setup + machine.die.hbm.read_latency;
  const Residency blocks = mapped.mapping().blocks;
  const std::int64_t loaded = (blocks.a ? 1 : 0) + (blocks.b ? 1 : 0);
  const std::int64_t later_loads = mapped.loads_of_a() + mapped.loads_of_b() - loaded + mapped.loads_of_sums();

  Picoseconds steady = bound.longest();
  const Picoseconds first_loads = bound.pe - steady;
  const auto held = std::ranges::find(bound.terms, "accumulators", &BoundTerm::resource);
  if (held->work > Picoseconds{}) {  // else partial products have sets of their own
    const Picoseconds drain{drain_of_results(mapped, machine).value / pe.mac.accumulators};
    steady = std::max(steady, held->total() + drain);
  }
  // Of a load there are two calls, it and its wait, of each step one.
  steady = all_later_loads(mapped, latency, steady, machine);
  steady = std::max(steady, (2 * later_loads + mapped.steps()) * pe.control);
  if (loaded < 2) steady = std::max(steady, all_streamed_tiles(mapped, latency, machine));
  steady.value = std::max(steady.value, all_reads_by_credits(mapped, machine).value - first_loads.value);
  return before_and_after(blocks, machine) + first_loads + steady;
}

}  // namespace kernbench
