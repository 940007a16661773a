// Fetch: TCM -> operand registers, one tile at a time (adr/0005-pe-pipeline.md, clause 5.4).
#pragma once

#include "sim/hw/pe/pipeline.hpp"

namespace kernbench {

class FetchUnit : public PipelineUnit {
 public:
  FetchUnit(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log)
      : PipelineUnit(name, pipeline, log, Stage::kFetch) {
    start(run());
  }

 private:
  Process run();
};

}  // namespace kernbench
