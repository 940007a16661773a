#include "sim/hw/pe/vector_unit.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

Process VectorUnit::run() {
  Picoseconds ready{};
  Reason last = kNoReason;  // of its last result
  std::int64_t sums_taken = 0;
  std::int64_t before_block = 0;  // sum sets taken
  for (;;) {
    ArrayResult result = co_await pipeline_.to_vector.pop();
    if (result.partial) {
      if (result.first) {
        co_await pipeline_.sums.acquire(1);
        if (pipeline_.sums.held_by()) {
          result.ready = now();
          result.reason = *pipeline_.sums.held_by();
        }
        if (result.output.in_block == 0) before_block = sums_taken;
        ++sums_taken;
      }
      result.sum = (before_block + result.output.in_block) % spec().mac.accumulators;
    }
    if (result.vector_cycles == 0) {  // it has only waited for the results before it
      result.reason = ledger().add(Cause::kEpilogue, result.ready, std::max(ready, now()), result.reason);
      result.ready = std::max(ready, now());
      pipeline_.to_store.push(result, result.ready);
      continue;
    }
    co_await server_.serve(spec().clock.time_for(result.vector_cycles), 0, result.output.tile, result.composite);
    const Picoseconds before = std::exchange(ready, now() + latency());
    observe(ready, [result](PeValues& values) { values.transformed(result); });
    const bool queued = result.ready + latency() <= before;
    result.reason = last =
        ledger().deliver(Cause::kEpilogue, {before, last, result.ready, ready, result.reason, queued});
    result.ready = ready;
    if (result.partial) pipeline_.partials.release(1, ready, result.reason);
    if (result.last) pipeline_.to_store.push(result, ready);
  }
}

Process VectorUnit::convert() {
  Picoseconds ready{};
  Reason last = kNoReason;  // of its last operand
  for (;;) {
    PipelineTile* tile = co_await pipeline_.to_convert.pop();
    const Picoseconds fetched = tile->fetched;
    if (tile->step.convert_cycles == 0) {  // it has only waited for the tiles before it
      tile->fetched = std::max(ready, now());
      tile->reason = ledger().add(Cause::kConvert, fetched, tile->fetched, tile->reason);
      pipeline_.to_array.push(tile, tile->fetched);
      continue;
    }
    const Picoseconds duration = spec().clock.time_for(tile->step.convert_cycles);
    co_await server_.serve(duration, 1, tile->step.tile, tile->composite, &convert_log_);
    const Picoseconds before = std::exchange(ready, now() + latency());
    observe(ready, [step = tile->step, set = tile->set](PeValues& values) { values.converted(step, set); });
    const bool queued = fetched + latency() <= before;
    last = tile->after_array && !queued
               ? ledger().add(Cause::kConvert, fetched, ready, tile->reason)
               : ledger().deliver(Cause::kConvert, {before, last, fetched, ready, tile->reason, queued});
    tile->reason = last;
    tile->fetched = ready;
    pipeline_.to_array.push(tile, ready);
  }
}

}  // namespace kernbench
