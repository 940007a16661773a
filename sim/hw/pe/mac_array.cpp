#include "sim/hw/pe/mac_array.hpp"

#include <algorithm>

#include "sim/plan/array_work.hpp"

namespace kernbench {

Process MacArray::run() {
  Picoseconds free_at{};
  Picoseconds weights_free_at{};  // where there is a second set: while the last tile is being worked on
  Picoseconds ready{};            // of the last result: results leave in the order of the tiles
  bool vector_in_use = false;     // then a result without vector work follows the others through the unit
  std::int64_t accumulators_taken = 0;
  std::int64_t before_block = 0;  // accumulators taken
  std::int64_t partials_taken = 0;
  for (;;) {
    const PipelineTile* tile = co_await pipeline_.to_array.pop(free_at);
    const TileStep& step = tile->step;
    Reason reason = tile->reason;
    if (step.partial) {
      co_await pipeline_.partials.acquire(1);
      reason = pipeline_.partials.held_by().value_or(reason);
      ++partials_taken;
    } else if (step.first) {
      co_await pipeline_.accumulators.acquire(1);
      reason = pipeline_.accumulators.held_by().value_or(reason);
      if (step.output.in_block == 0) before_block = accumulators_taken;
      ++accumulators_taken;
    }
    const std::int64_t number = step.partial ? partials_taken - 1 : before_block + step.output.in_block;
    const std::int64_t set = number % spec().mac.accumulators;
    const bool bypassed = step.macs == 0;

    Picoseconds drain{};
    Picoseconds full{};  // what the tile's own MACs take at the array's peak
    free_at = now();
    if (!bypassed) {
      const ArrayCycles cycles = array_cycles(spec().mac, step);
      const Clock clock = spec().clock;
      const Picoseconds loaded = std::max(tile->fetched, weights_free_at) + clock.time_for(cycles.load);
      free_at = std::max(now(), loaded) + clock.time_for(cycles.multiply);
      weights_free_at = free_at - clock.time_for(cycles.hides);
      full = std::min(free_at - now(),
                      clock.time_for(cycles_at_peak(spec().mac, step.valid_macs(), step.operands[0].dtype)));
      drain = clock.time_for(cycles.drain + spec().mac.fill_cycles);
      log_.record({now(), free_at, 0, step.macs, step.tile, tile->composite});
    }
    ledger().work(now(), free_at - full, free_at, reason);
    observe(free_at, [step, composite = tile->composite, registers = tile->set, set](PeValues& values) {
      values.multiplied(step, composite, registers, set);
    });
    pipeline_.registers.release(1, free_at, kArrayAtWork);
    --pipeline_.tiles_in_flight;

    ready = std::max(ready, free_at + drain);
    const ArrayResult result{.output = step.output,
                             .vector_cycles = step.vector_cycles,
                             .partial = step.partial,
                             .first = step.first,
                             .last = step.last,
                             .composite = tile->composite,
                             .set = set,
                             .ready = ready,
                             .reason = ledger().add(Cause::kDrain, free_at, ready, kArrayAtWork)};
    vector_in_use |= step.vector_cycles > 0;
    if (step.vector_cycles > 0 || (step.last && vector_in_use)) {
      pipeline_.to_vector.push(result, ready);
    } else if (step.last) {
      pipeline_.to_store.push(result, ready);
    }
  }
}

}  // namespace kernbench
