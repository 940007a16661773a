#include "sim/hw/pe/store_unit.hpp"

namespace kernbench {

Process StoreUnit::run() {
  Picoseconds free_at{};
  for (std::int64_t stored = 0;; ++stored) {
    const ArrayResult result = co_await pipeline_.to_store.pop(free_at);
    co_await pipeline_.output_slots.acquire(1);
    const OutputTile& output = result.output;

    free_at = now() + spec().store.time_for(output.block.bytes());
    log_.record({now(), free_at, output.block.bytes(), 0, output.tile, result.composite});
    observe(free_at, [result, slot = stored % spec().output_depth](DataPath& data) { data.stored(result, slot); });
    (result.partial ? pipeline_.sums : pipeline_.accumulators).release(1, free_at);
    Transfer transfer{output.block, {}, output.block.bytes(), kDmaOutStage, output.tile, result.composite};
    transfer.listener = &done_;
    writer_.submit(std::move(transfer), free_at);
  }
}

}  // namespace kernbench
