#include "sim/hw/pe/fetch_unit.hpp"

#include <tuple>

namespace kernbench {

Process FetchUnit::run() {
  Picoseconds free_at{};
  for (std::int64_t fetched = 0;; ++fetched) {
    PipelineTile* tile = co_await pipeline_.to_fetch.pop();
    const TileStep& step = tile->step;
    if (step.streamed() > 0) std::ignore = co_await pipeline_.streamed.pop();
    if (step.output.adds_sum && step.last) co_await pipeline_.kept_sums.acquire(1);
    co_await pipeline_.registers.acquire(1, free_at);

    free_at = now() + spec().fetch.time_for(step.fetch_bytes);
    log_.record({now(), free_at, step.fetch_bytes, 0, step.tile, tile->composite});
    observe(free_at,
            [step, set = fetched % spec().mac.operand_registers](PeValues& values) { values.fetched(step, set); });
    pipeline_.stream_slots.release(1, free_at);
    tile->fetched = free_at;
    pipeline_.to_array.push(tile, free_at);
  }
}

}  // namespace kernbench
