// Fetch: TCM -> operand registers, one tile at a time (adr/0005-pe-pipeline.md, clause 5.4).
#pragma once

#include "sim/hw/pe/pipeline.hpp"

namespace kernbench {

inline constexpr Stage kFetchStage{"fetch", 40, 3};

class FetchUnit : public PipelineUnit {
 public:
  FetchUnit(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log)
      : PipelineUnit(name, pipeline, log, kFetchStage) {
    start(run());
  }

 private:
  Process run();
};

}  // namespace kernbench
