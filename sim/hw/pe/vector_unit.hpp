// The vector unit: epilogues and element-wise composites, in place in the accumulators (clause 5.7), and what message
// queues reduce and copy in TCM (adr/0019).
#pragma once

#include "sim/hw/pe/pipeline.hpp"

namespace kernbench {

class VectorUnit : public PipelineUnit {
 public:
  VectorUnit(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log)
      : PipelineUnit(name, pipeline, log, Stage::kVector) {
    start(run());
  }

  struct Service {
    Picoseconds end;    ///< the unit is free again
    Picoseconds ready;  ///< the result can be used
  };
  /// Takes up `elements` elements that lie in TCM, at `not_before` or when the unit is free.
  Service process(std::int64_t elements, Picoseconds not_before);

 private:
  Process run();

  Picoseconds free_at_{};
};

}  // namespace kernbench
