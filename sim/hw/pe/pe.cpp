#include "sim/hw/pe/pe.hpp"

#include <utility>

namespace kernbench {

namespace {

DmaEngine::Context dma_context(const Pe::Context& pe) { return {pe.calendar, pe.log, pe.data}; }
DmaEngineSpec dma_spec(const MachineSpec& machine) { return dma_engine_spec(machine, machine.pe.dma.setup); }

}  // namespace

Pe::Pe(const sc_core::sc_module_name& name, const Context& context)
    : sc_module(name),
      calendar_(context.calendar),
      control_latency_(context.machine.pe.control),
      control_(context.calendar, context.log.open(std::string(this->name()) + ".control", kControlStage)),
      pipeline_(context.calendar, this->name(), context.machine.pe, context.data),
      tcm_write_("tcm_write", context.machine.pe.tcm.write),
      tcm_read_("tcm_read", context.machine.pe.tcm.read),
      tcm_(tcm_write_, tcm_read_),
      reader_("dma_in", dma_context(context), dma_spec(context.machine), tcm_write_),
      scheduler_("scheduler", pipeline_, context.log, reader_),
      fetch_("fetch", pipeline_, context.log),
      mac_("mac", pipeline_, context.log),
      vector_("vector", pipeline_, context.log),
      writer_("dma_out", dma_context(context), dma_spec(context.machine), tcm_read_, pipeline_.output_slots),
      store_("store", pipeline_, context.log, writer_, *this) {}

Completion& Pe::load(std::vector<Block> blocks, Bytes bytes) {
  return start_transfer(reader_, kLoadStage, std::move(blocks), bytes);
}

Completion& Pe::store(std::vector<Block> blocks, Bytes bytes) {
  return start_transfer(writer_, kStoreOutStage, std::move(blocks), bytes);
}

Completion& Pe::start_transfer(DmaEngine& engine, const Stage& stage, std::vector<Block> blocks, Bytes bytes) {
  Completion& done = transfers_.emplace_back(calendar_, std::string(engine.name()) + ": transfer of a matrix");
  Transfer transfer{blocks.front(), {blocks.begin() + 1, blocks.end()}, bytes, stage};
  transfer.done = &done;
  engine.submit(std::move(transfer), calendar_.now());
  return done;
}

Completion& Pe::composite(TilePlan plan) {
  const auto index = static_cast<std::int32_t>(composites_.size());
  std::string what = std::string(name()) + ": composite " + std::to_string(index) + " (" + plan.name + ")";
  Composite& composite = composites_.emplace_back(std::move(plan), calendar_, std::move(what));
  scheduler_.submit(composite.plan, index);
  return composite.done;
}

void Pe::transferred(const Transfer& transfer, Picoseconds at) {
  Composite& composite = composites_.at(static_cast<std::size_t>(transfer.composite));
  if (--composite.outputs_left == 0) composite.done.complete(at);
}

}  // namespace kernbench
