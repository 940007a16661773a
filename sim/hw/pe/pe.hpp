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
#include "sim/hw/memory/memory_allocator.hpp"
#include "sim/hw/pe/asker.hpp"
#include "sim/hw/pe/dma_engine.hpp"
#include "sim/hw/pe/fetch_unit.hpp"
#include "sim/hw/pe/mac_array.hpp"
#include "sim/hw/pe/scheduler.hpp"
#include "sim/hw/pe/store_unit.hpp"
#include "sim/hw/pe/tcm_port.hpp"
#include "sim/hw/pe/vector_unit.hpp"
#include "sim/plan/vector_task.hpp"

namespace kernbench {

/// Of the control processor.
inline constexpr Stage kControlStage{"control", 0, 0};

class Pe : public sc_core::sc_module, private TransferListener {
 public:
  struct Context {
    Calendar& calendar;
    OpLog& log;
    const MachineSpec& machine;
    MemoryRoutes* routes = nullptr;  ///< to other memories than the PE's own partition
    PeValues* values = nullptr;      ///< null: no values are carried
    bool ledger = false;             ///< one is kept
  };

  Pe(const sc_core::sc_module_name& name, const Context& context);

  /// To be bound to the route to the PE's own partition.
  sc_core::sc_port<MemoryWay>& read_port() { return reader_.memory; }
  sc_core::sc_port<MemoryWay>& write_port() { return writer_.memory; }

  /// Awaitable: the control processor works on one kernel call or step of a thread, after those that came before; at
  /// one instant in the askers' turn.
  [[nodiscard]] auto control_call(Asker asker = {}) { return control_.serve(control_latency_, asker.turn()); }

  [[nodiscard]] Picoseconds now() const { return calendar_.now(); }

  /// Hands a matrix to the reader now; complete when its last byte is at `to`, in TCM.
  Completion& load(const MatrixLayout& from, const MatrixLayout& to);
  /// Blocks of one or several memories, each to its place in TCM: a transfer for each memory, in the order in which
  /// they are first named.
  Completion& load(const std::vector<Block>& from, const std::vector<Block>& to);
  /// Hands a matrix in TCM to the writer now; complete when the last write is acknowledged.
  Completion& store(const MatrixLayout& from, const MatrixLayout& to);
  /// Hands a plan to the scheduler now; complete when its last output is acknowledged or, where it stays, in TCM.
  /// Throws CapacityError where its stages do not fit in TCM.
  Completion& composite(TilePlan plan);

  /// Who has which part of the TCM.
  MemoryAllocator& tcm_space() { return tcm_space_; }
  [[nodiscard]] PeValues* values() const { return pipeline_.values; }
  Ledger& ledger() { return ledger_; }

  /// It may be counted on where it repeats itself (adr/0047): nobody else uses its memory.
  void follow(Repetition& repetition);
  /// Tiles of composites are: its memory serves an address as one that is a multiple of `interleaved` bytes away.
  void repeat_tiles(Repetition& repetition, Bytes interleaved) { scheduler_.follow(repetition, interleaved); }
  /// So many composites have been passed over: those to come are called by their numbers in the program.
  void pass_composites(std::int64_t count) { composites_passed_over_ += count; }
  /// Notes how far it is with what it has been given.
  void note_state(Repetition& repetition) const;
  /// Tiles that were counted and not simulated.
  [[nodiscard]] std::int64_t tiles_passed_over() const { return scheduler_.passed_over(); }

  /// What it has done so far (36.2): its array, its vector unit, its registers and its TCM.
  [[nodiscard]] Activity activity() const;
  /// Of its vector operations those of the stage `convert`.
  [[nodiscard]] std::int64_t conversions() const { return pipeline_.conversions; }

  // For message queues, which share the engines with the kernels.
  DmaEngine& reader() { return reader_; }
  DmaEngine& writer() { return writer_; }
  VectorUnit& vector() { return vector_; }
  MemoryPort& tcm() { return tcm_; }
  Calendar& calendar() { return calendar_; }
  /// Counts work of the vector unit on what lies in TCM (43.3).
  void count_vector_task(const VectorTask& task) {
    pipeline_.activity.vector_operations += task.operations;
    pipeline_.activity.registers += task.fetched + task.stored;
    pipeline_.activity.tcm += task.fetched + task.stored;
  }
  /// Counts what is received or copied in TCM: each element passes an adder or the vector unit, and `sources` bytes are
  /// read for each that is written.
  void count_received(const Block& block, std::int64_t sources) {
    pipeline_.activity.vector_operations += block.elements();
    pipeline_.activity.tcm += (sources + 1) * block.bytes();
  }

 private:
  struct Composite {
    TilePlan plan;
    std::int64_t outputs_left;
    Picoseconds end;
    Reason reason = kNoReason;
    std::vector<ValueStore::Open> reading;  ///< operands in TCM
    Completion done;
    Composite(TilePlan the_plan, Calendar& calendar, std::string name)
        : plan(std::move(the_plan)), outputs_left(plan.outputs), done(calendar, std::move(name)) {}
  };

  /// Blocks on their way from several memories.
  struct Gathering : TransferListener {
    Gathering(Calendar& calendar, std::string name) : done(calendar, std::move(name)) {}
    void transferred(const Transfer& transfer, Picoseconds at) override;
    std::size_t left = 0;  ///< transfers
    Picoseconds last;
    Reason reason = kNoReason;
    Completion done;
  };

  Completion& start_transfer(DmaEngine& engine, const Stage& stage, const MatrixLayout& remote,
                             std::shared_ptr<Cargo> cargo);
  void reserve_stages(Bytes bytes);
  void transferred(const Transfer& transfer, Picoseconds at) override;

  Calendar& calendar_;
  Picoseconds control_latency_;
  Bytes burst_;
  Server control_;
  Ledger ledger_;
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
  std::int64_t composites_passed_over_ = 0;
  std::deque<Completion> transfers_;
  std::deque<Gathering> gatherings_;
  MemoryAllocator tcm_space_;
  /// Stages of composites that run: those that wait for their turn share them.
  Bytes stages_ = 0;
  std::vector<Address> stage_regions_;
  std::int64_t running_ = 0;
};

}  // namespace kernbench
