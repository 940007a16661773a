#include "sim/hw/pe/store_unit.hpp"

namespace kernbench {

Process StoreUnit::run() {
  Picoseconds free_at{};
  Reason last = kNoReason;  // of its last store
  for (std::int64_t stored = 0;;) {
    const ArrayResult result = co_await pipeline_.to_store.pop(free_at);
    const OutputTile& output = result.output;
    const bool stays = output.block.memory == kOwnTcm;
    Reason reason = result.ready >= free_at ? result.reason : last;
    if (!stays) {
      co_await pipeline_.output_slots.acquire(1);
      reason = pipeline_.output_slots.held_by().value_or(reason);
    }

    free_at = now() + (output.accumulates ? spec().accumulate : spec().store).time_for(output.block.bytes());
    last = ledger().add(Cause::kDrain, now(), free_at, reason);
    log_.record({now(), free_at, output.block.bytes(), 0, output.tile, result.composite});
    const std::int64_t slot = stored % spec().output_depth;
    observe(free_at, [result, slot](PeValues& values) { values.stored(result, slot); });
    (result.partial ? pipeline_.sums : pipeline_.accumulators).release(1, free_at, last);
    if (output.keeps_sum) pipeline_.kept_sums.release(1, free_at, last);
    Transfer transfer{output.block, {}, output.block.bytes(), kDmaOutStage, output.tile, result.composite};
    transfer.reason = last;
    if (stays) {
      done_.transferred(transfer, free_at);
      continue;
    }
    ++stored;
    transfer.listener = &done_;
    if (pipeline_.values != nullptr) transfer.cargo = pipeline_.values->output(result, slot);
    writer_.submit(std::move(transfer), free_at);
  }
}

}  // namespace kernbench
