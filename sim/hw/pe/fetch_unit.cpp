#include "sim/hw/pe/fetch_unit.hpp"

#include <utility>

namespace kernbench {

Process FetchUnit::run() {
  Picoseconds free_at{};
  Reason reason = kNoReason;  // of what it has waited for last
  Reason last = kNoReason;    // of its last fetch
  bool converts = false;      // then tiles without a conversion follow the others through the vector unit
  for (std::int64_t fetched = 0;; ++fetched) {
    Picoseconds asked = now();
    // What comes after it was asked for is why the unit goes on.
    const auto came = [this, &reason, &asked](Reason of_what) {
      if (now() > std::exchange(asked, now())) reason = of_what;
    };
    PipelineTile* tile = co_await pipeline_.to_fetch.pop();
    came(tile->reason);
    const TileStep& step = tile->step;
    if (step.streamed() > 0) {
      const StreamedTile streamed = co_await pipeline_.streamed.pop();
      came(streamed.reason);
    }
    if (step.awaits_sum) {
      co_await pipeline_.kept_sums.acquire(1);
      came(pipeline_.kept_sums.held_by().value_or(reason));
    }
    co_await pipeline_.registers.acquire(1, free_at);
    tile->after_array = pipeline_.registers.held_by().has_value();
    reason = pipeline_.registers.held_by().value_or(reason);

    const Picoseconds before = std::exchange(free_at, now() + spec().fetch.time_for(step.fetch_bytes));
    last = ledger().deliver(Cause::kFetch, {before, last, now(), free_at, reason, now() <= before});
    log_.record({now(), free_at, step.fetch_bytes, 0, step.tile, tile->composite});
    tile->set = fetched % spec().mac.operand_registers;
    observe(free_at, [step, set = tile->set](PeValues& values) { values.fetched(step, set); });
    pipeline_.stream_slots.release(1, free_at, last);
    tile->fetched = free_at;
    tile->reason = last;
    converts |= step.convert_cycles > 0;
    (converts ? pipeline_.to_convert : pipeline_.to_array).push(tile, free_at);
  }
}

}  // namespace kernbench
