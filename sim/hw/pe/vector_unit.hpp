// The vector unit: epilogues and element-wise composites, in place in the accumulators (clause 5.7), operands that the
// array takes in another dtype, in place in their registers (adr/0034, 34.8), and what message queues reduce and copy
// in TCM (adr/0019).
#pragma once

#include "sim/engine/server.hpp"
#include "sim/hw/pe/asker.hpp"
#include "sim/hw/pe/pipeline.hpp"

namespace kernbench {

inline constexpr Stage kConvertStage{"convert", 45, 5};
inline constexpr Stage kVectorStage{"vector", 60, 5};

class VectorUnit : public PipelineUnit {
 public:
  VectorUnit(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log)
      : PipelineUnit(name, pipeline, log, kVectorStage),
        convert_log_(log.open(this->name(), kConvertStage)),
        server_(pipeline.calendar, log_),
        converting_(convert()) {
    start(run());
    converting_.start(pipeline.calendar);
  }

  /// Awaitable: works for `duration` on what lies in TCM, asked for now by a thread of the PE's programs; goes on when
  /// the unit is free again. Results of the array come first, then operands to convert, then askers in their turn
  /// (ADR-0019, 19.12).
  [[nodiscard]] auto work(Picoseconds duration, Asker asker) { return server_.serve(duration, 2 + asker.turn()); }
  /// The same for one pass over `elements` elements.
  [[nodiscard]] auto process(std::int64_t elements, Asker asker) {
    return work(spec().clock.time_for(ceil_div(elements, spec().vector.lanes)), asker);
  }
  /// From the end of a service until its result can be used.
  [[nodiscard]] Picoseconds latency() const { return spec().clock.time_for(spec().vector.latency_cycles); }

 private:
  Process run();
  Process convert();

  OpChannel& convert_log_;
  Server server_;
  Process converting_;
};

}  // namespace kernbench
