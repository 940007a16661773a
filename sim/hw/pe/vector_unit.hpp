// The vector unit: epilogues and element-wise composites, in place in the accumulators (clause 5.7).
#pragma once

#include "sim/hw/pe/pipeline.hpp"

namespace kernbench {

class VectorUnit : public PipelineUnit {
 public:
  VectorUnit(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log)
      : PipelineUnit(name, pipeline, log, Stage::kVector) {
    start(run());
  }

 private:
  Process run();
};

}  // namespace kernbench
