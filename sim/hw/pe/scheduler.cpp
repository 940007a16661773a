#include "sim/hw/pe/scheduler.hpp"

namespace kernbench {

Process Scheduler::run() {
  for (;;) {
    const Entry entry = co_await plans_.pop();
    for (std::int64_t t = 0; t < entry.plan->tiles; ++t) {
      co_await pipeline_.stream_slots.acquire(1, now(), spec().scheduler);
      PipelineTile& tile = pipeline_.admit(entry.plan->step(t), entry.composite);
      log_.record({now() - spec().scheduler, now(), 0, 0, tile.step.tile, entry.composite});
      dispatch(tile);
      pipeline_.to_fetch.push(&tile, now());
    }
  }
}

void Scheduler::dispatch(const PipelineTile& tile) {
  const TileStep& step = tile.step;
  for (std::int32_t i = 0; i < step.stream_count; ++i) {
    const Block& block = step.streams.at(static_cast<std::size_t>(i));
    Transfer transfer{block, {}, block.bytes(), kDmaInStage, step.tile, tile.composite};
    transfer.slot = step.slot;
    transfer.second = step.second.at(static_cast<std::size_t>(i));
    // Transfers complete in order: the last operand's completion is the tile's.
    if (i + 1 == step.stream_count) transfer.listener = this;
    reader_.submit(std::move(transfer), now());
  }
}

void Scheduler::transferred(const Transfer& transfer, Picoseconds at) { pipeline_.streamed.push(transfer.tile, at); }

}  // namespace kernbench
