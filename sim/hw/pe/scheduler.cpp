#include "sim/hw/pe/scheduler.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace kernbench {

Process Scheduler::run() {
  std::int64_t earlier = 0;  // tiles of earlier composites, which may still be in the slots before
  Reason reason = kNoReason;
  for (Picoseconds free_at{};; free_at = now()) {
    const Entry entry = co_await plans_.pop();
    if (now() > free_at) reason = entry.reason;
    if (repeats_) repeats_->begin(*entry.plan);
    for (std::int64_t t = 0; t < entry.plan->tiles; ++t) {
      if (repeats_) t = next(entry, t);
      co_await pipeline_.stream_slots.acquire(1, now(), spec().scheduler);
      const Picoseconds start = now() - spec().scheduler;
      reason = ledger().add(Cause::kControl, start, now(), pipeline_.stream_slots.held_by().value_or(reason));
      PipelineTile& tile = pipeline_.admit(entry.plan->step(t), entry.composite, reason);
      if (tile.step.slot >= 0 && tile.step.slot < spec().stream_depth) {
        tile.step.slot = static_cast<std::int32_t>((earlier + tile.step.slot) % spec().stream_depth);
      }
      log_.record({start, now(), 0, 0, tile.step.tile, entry.composite});
      ++dispatched_;
      --to_dispatch_;
      dispatch(tile);
      pipeline_.to_fetch.push(&tile, now());
    }
    earlier += entry.plan->tiles;
  }
}

std::int64_t Scheduler::next(const Entry& entry, std::int64_t tile) {
  const TileRepeats::Passed passed = repeats_->pass(tile, pipeline_);
  *entry.outputs_left -= passed.outputs;
  to_dispatch_ -= passed.tiles;
  return tile + passed.tiles;
}

void Scheduler::dispatch(const PipelineTile& tile) {
  const TileStep& step = tile.step;
  if (step.streamed() > 0) on_the_way_.push_back({tile.composite, step.tile, step.streamed(), {}, kNoReason});
  for (std::int32_t i = 0; i < step.operand_count; ++i) {
    if (!step.streams(i)) continue;
    const Block& block = step.operands[static_cast<std::size_t>(i)];
    Transfer transfer{block, {}, block.bytes(), kDmaInStage, step.tile, tile.composite};
    if (pipeline_.values != nullptr) transfer.cargo = pipeline_.values->stream(step, i);
    transfer.listener = this;
    transfer.reason = tile.reason;
    reader_.submit(std::move(transfer), now());
  }
}

void Scheduler::transferred(const Transfer& transfer, Picoseconds at) {
  const auto tile = std::ranges::find_if(on_the_way_, [&transfer](const Streams& streams) {
    return streams.tile == transfer.tile && streams.composite == transfer.composite && streams.left > 0;
  });
  KB_CHECK(tile != on_the_way_.end(), std::string(name()) + ": an operand comes that no tile waits for");
  --tile->left;
  if (at >= tile->there) {
    tile->there = at;
    tile->reason = transfer.reason;
  }
  // From different memories operands come in any order; tiles are fetched in theirs.
  for (; !on_the_way_.empty() && on_the_way_.front().left == 0; on_the_way_.pop_front()) {
    if (on_the_way_.front().there >= last_there_) {
      last_there_ = on_the_way_.front().there;
      last_reason_ = on_the_way_.front().reason;
    }
    pipeline_.streamed.push({on_the_way_.front().tile, last_reason_}, last_there_);
  }
}

}  // namespace kernbench
