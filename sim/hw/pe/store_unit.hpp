// Store: accumulators -> output slots in TCM, as the dtype of C, and on to the DMA writer (clause 5.8).
#pragma once

#include "sim/hw/pe/dma_engine.hpp"
#include "sim/hw/pe/pipeline.hpp"

namespace kernbench {

inline constexpr Stage kStoreStage{"store", 70, 6};

class StoreUnit : public PipelineUnit {
 public:
  /// `done` hears of every output tile that has been acknowledged.
  StoreUnit(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log, DmaWriter& writer,
            TransferListener& done)
      : PipelineUnit(name, pipeline, log, kStoreStage), writer_(writer), done_(done) {
    start(run());
  }

 private:
  Process run();

  DmaWriter& writer_;
  TransferListener& done_;
};

}  // namespace kernbench
