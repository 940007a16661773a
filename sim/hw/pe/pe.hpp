// The processing element: control processor, scheduler, DMA engines, fetch unit, MAC array, vector unit and store unit
// (adr/0005-pe-pipeline.md). This file only wires them; each unit has a file of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <vector>

#include "sim/engine/completion.hpp"
#include "sim/engine/server.hpp"
#include "sim/hw/pe/dma_engine.hpp"
#include "sim/hw/pe/fetch_unit.hpp"
#include "sim/hw/pe/mac_array.hpp"
#include "sim/hw/pe/scheduler.hpp"
#include "sim/hw/pe/store_unit.hpp"
#include "sim/hw/pe/tcm_port.hpp"
#include "sim/hw/pe/vector_unit.hpp"

namespace kernbench {

/// Of the control processor.
inline constexpr Stage kControlStage{"control", 0, 0};

class Pe : public sc_core::sc_module, private TransferListener {
 public:
  struct Context {
    Calendar& calendar;
    OpLog& log;
    const MachineSpec& machine;
    DataPath* data;  ///< null: no values are carried
  };

  Pe(const sc_core::sc_module_name& name, const Context& context);

  /// To be bound to the route to the PE's own partition.
  sc_core::sc_port<MemoryRoute>& read_port() { return reader_.memory; }
  sc_core::sc_port<MemoryRoute>& write_port() { return writer_.memory; }

  /// Awaitable: the control processor works on one kernel call or step of a thread, after those that came before; at
  /// one instant threads are served by their numbers.
  [[nodiscard]] auto control_call(std::int64_t thread = 0) { return control_.serve(control_latency_, thread); }

  [[nodiscard]] Picoseconds now() const { return calendar_.now(); }

  /// Hands blocks (one matrix) to the reader now; complete when the last byte is in TCM.
  Completion& load(std::vector<Block> blocks, Bytes bytes);
  /// Hands resident blocks to the writer now; complete when the last write is acknowledged.
  Completion& store(std::vector<Block> blocks, Bytes bytes);
  /// Hands a plan to the scheduler now; complete when its last output is acknowledged.
  Completion& composite(TilePlan plan);

  // For message queues, which share the engines with the kernels.
  DmaEngine& reader() { return reader_; }
  DmaEngine& writer() { return writer_; }
  VectorUnit& vector() { return vector_; }
  MemoryPort& tcm() { return tcm_; }
  Calendar& calendar() { return calendar_; }

 private:
  struct Composite {
    TilePlan plan;
    std::int64_t outputs_left;
    Completion done;
    Composite(TilePlan the_plan, Calendar& calendar, std::string name)
        : plan(std::move(the_plan)), outputs_left(plan.outputs), done(calendar, std::move(name)) {}
  };

  Completion& start_transfer(DmaEngine& engine, const Stage& stage, std::vector<Block> blocks, Bytes bytes);
  void transferred(const Transfer& transfer, Picoseconds at) override;

  Calendar& calendar_;
  Picoseconds control_latency_;
  Server control_;
  Pipeline pipeline_;
  TcmLink tcm_write_;
  TcmLink tcm_read_;
  TcmPort tcm_;
  DmaReader reader_;
  Scheduler scheduler_;
  FetchUnit fetch_;
  MacArray mac_;
  VectorUnit vector_;
  DmaWriter writer_;
  StoreUnit store_;
  std::deque<Composite> composites_;
  std::deque<Completion> transfers_;
};

}  // namespace kernbench
