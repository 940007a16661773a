// The PE scheduler: expands composites into tiles and hands each to the DMA reader and the fetch unit (clause 5.3).
#pragma once

#include <deque>
#include <optional>

#include "sim/hw/pe/dma_engine.hpp"
#include "sim/hw/pe/pipeline.hpp"
#include "sim/hw/pe/tile_repeats.hpp"

namespace kernbench {

inline constexpr Stage kScheduleStage{"schedule", 20, 1};

class Scheduler : public PipelineUnit, private TransferListener {
 public:
  Scheduler(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log, DmaReader& reader)
      : PipelineUnit(name, pipeline, log, kScheduleStage),
        reader_(reader),
        plans_(pipeline.calendar, std::string(this->name()) + ".composites") {
    start(run());
  }

  /// Composites run in the order of submission. `plan` must outlive its run.
  /// What is passed over is taken from `outputs_left`.
  void submit(const TilePlan& plan, std::int32_t composite, std::int64_t& outputs_left, Reason reason) {
    to_dispatch_ += plan.tiles;
    plans_.push({&plan, composite, &outputs_left, reason});
  }
  /// Tiles of what has been submitted.
  [[nodiscard]] std::int64_t to_dispatch() const { return to_dispatch_; }

  /// Tiles that repeat others may be passed over (adr/0047).
  void follow(Repetition& repetition, Bytes interleaved) {
    repeats_.emplace(pipeline_.calendar, repetition, interleaved);
  }
  /// Tiles that were counted and not dispatched.
  [[nodiscard]] std::int64_t passed_over() const { return log_.records() - dispatched_; }

 private:
  struct Entry {
    const TilePlan* plan;
    std::int32_t composite;
    std::int64_t* outputs_left;
    Reason reason;
  };

  Process run();
  /// Before tile `tile`: the one to dispatch, where those between them have been counted.
  std::int64_t next(const Entry& entry, std::int64_t tile);
  void dispatch(const PipelineTile& tile);
  void transferred(const Transfer& transfer, Picoseconds at) override;

  /// A tile some of whose streamed operands are not in TCM yet, as far as is known.
  struct Streams {
    std::int32_t composite = 0;
    std::int64_t tile = 0;
    std::int32_t left = 0;
    Picoseconds there;
    Reason reason = kNoReason;
  };

  DmaReader& reader_;
  Queue<Entry> plans_;
  std::deque<Streams> on_the_way_;
  std::optional<TileRepeats> repeats_;
  std::int64_t to_dispatch_ = 0;
  std::int64_t dispatched_ = 0;
  Picoseconds last_there_{};
  Reason last_reason_ = kNoReason;
};

}  // namespace kernbench
