// The MAC array: consumes one register set after the other (adr/0005-pe-pipeline.md, clauses 5.5 and
// 5.6; how long a tile takes: adr/0031-the-mac-array.md).
#pragma once

#include "sim/hw/pe/pipeline.hpp"

namespace kernbench {

inline constexpr Stage kMacStage{"mac", 50, 4};

class MacArray : public PipelineUnit {
 public:
  MacArray(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log)
      : PipelineUnit(name, pipeline, log, kMacStage) {
    start(run());
  }

 private:
  Process run();
};

}  // namespace kernbench
