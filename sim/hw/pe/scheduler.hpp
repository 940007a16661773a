// The PE scheduler: expands composites into tiles and hands each to the DMA reader and the fetch unit (clause 5.3).
#pragma once

#include <deque>

#include "sim/hw/pe/dma_engine.hpp"
#include "sim/hw/pe/pipeline.hpp"

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
  void submit(const TilePlan& plan, std::int32_t composite, Reason reason) { plans_.push({&plan, composite, reason}); }

 private:
  struct Entry {
    const TilePlan* plan;
    std::int32_t composite;
    Reason reason;
  };

  Process run();
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
  Picoseconds last_there_{};
  Reason last_reason_ = kNoReason;
};

}  // namespace kernbench
