#include "sim/hw/pe/pe.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

namespace {

DmaEngine::Context dma_context(const Pe::Context& pe, Ledger& ledger) {
  return {pe.calendar, pe.log, pe.routes, pe.ledger ? &ledger : nullptr};
}
DmaEngineSpec dma_spec(const MachineSpec& machine) { return dma_engine_spec(machine, machine.pe.dma.setup); }

}  // namespace

Pe::Pe(const sc_core::sc_module_name& name, const Context& context)
    : sc_module(name),
      calendar_(context.calendar),
      control_latency_(context.machine.pe.control),
      burst_(context.machine.die.hbm.burst),
      control_(context.calendar, context.log.open(std::string(this->name()) + ".control", kControlStage)),
      ledger_(context.ledger),
      pipeline_(context.calendar, this->name(), context.machine.pe, context.values, ledger_),
      tcm_write_("tcm_write", context.machine.pe.tcm.write),
      tcm_read_("tcm_read", context.machine.pe.tcm.read),
      tcm_(context.calendar, tcm_write_, tcm_read_),
      reader_("dma_in", dma_context(context, ledger_), dma_spec(context.machine), tcm_write_),
      scheduler_("scheduler", pipeline_, context.log, reader_),
      fetch_("fetch", pipeline_, context.log),
      mac_("mac", pipeline_, context.log),
      vector_("vector", pipeline_, context.log),
      writer_("dma_out", dma_context(context, ledger_), dma_spec(context.machine), tcm_read_, pipeline_.output_slots),
      store_("store", pipeline_, context.log, writer_, *this),
      tcm_space_("the TCM of " + std::string(this->name()), "pe.tcm.capacity", context.machine.pe.tcm.capacity) {}

void Pe::follow(Repetition& repetition) {
  ledger_.follow(repetition);
  pipeline_.follow(repetition);
  tcm_write_.follow(repetition);
  tcm_read_.follow(repetition);
}

void Pe::note_state(Repetition& repetition) const {
  for (const std::int64_t count : {scheduler_.to_dispatch(), pipeline_.tiles_in_flight, pipeline_.outputs_in_flight}) {
    repetition.note(static_cast<std::uint64_t>(count));
  }
}

Activity Pe::activity() const {
  Activity activity = pipeline_.activity;
  activity.tcm += tcm_write_.bytes() + tcm_read_.bytes();
  return activity;
}

Completion& Pe::load(const MatrixLayout& from, const MatrixLayout& to) {
  return start_transfer(reader_, kLoadStage, from,
                        values() == nullptr ? nullptr : values()->load(from.whole(), to.whole()));
}

Completion& Pe::load(const std::vector<Block>& from, const std::vector<Block>& to) {
  struct Part {
    std::vector<Block> from;
    std::vector<Block> to;
  };
  std::vector<Part> parts;  // of one memory each
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto part = std::ranges::find_if(parts, [&](const Part& other) { return other.from[0].memory == from[i].memory; });
    if (part == parts.end()) part = parts.insert(part, Part{});
    part->from.push_back(from[i]);
    part->to.push_back(to[i]);
  }
  Gathering& gathering = gatherings_.emplace_back(calendar_, std::string(reader_.name()) + ": tiles of a matrix");
  gathering.left = parts.size();
  for (const Part& part : parts) {
    Transfer transfer{part.from.front(), {part.from.begin() + 1, part.from.end()}, 0, kLoadStage};
    for (const Block& block : part.from) transfer.bytes += block.bytes();
    transfer.listener = &gathering;
    transfer.reason = ledger_.called(calendar_.now());
    if (values() != nullptr) transfer.cargo = values()->load(part.from, part.to);
    reader_.submit(std::move(transfer), calendar_.now());
  }
  return gathering.done;
}

void Pe::Gathering::transferred(const Transfer& transfer, Picoseconds at) {
  if (at >= last) {
    last = at;
    reason = transfer.reason;
  }
  if (--left == 0) done.complete(last, reason);
}

Completion& Pe::store(const MatrixLayout& from, const MatrixLayout& to) {
  return start_transfer(writer_, kStoreOutStage, to,
                        values() == nullptr ? nullptr : values()->store(from.whole(), to.whole()));
}

Completion& Pe::start_transfer(DmaEngine& engine, const Stage& stage, const MatrixLayout& remote,
                               std::shared_ptr<Cargo> cargo) {
  Completion& done = transfers_.emplace_back(calendar_, std::string(engine.name()) + ": transfer of a matrix");
  const std::vector<Block> blocks = remote.whole();
  Transfer transfer{blocks.front(), {blocks.begin() + 1, blocks.end()}, remote.element_bytes(), stage};
  transfer.done = &done;
  transfer.reason = ledger_.called(calendar_.now());
  transfer.cargo = std::move(cargo);
  engine.submit(std::move(transfer), calendar_.now());
  return done;
}

void Pe::reserve_stages(Bytes bytes) {
  if (bytes <= stages_) return;
  stage_regions_.push_back(tcm_space_.allocate(bytes - stages_, "stages of streamed operands and outputs", burst_));
  stages_ = bytes;
}

Completion& Pe::composite(TilePlan plan) {
  reserve_stages(plan.stages);
  ++running_;
  const auto index = static_cast<std::int32_t>(composites_.size());
  std::string what =
      std::string(name()) + ": composite " + std::to_string(index + composites_passed_over_) + " (" + plan.name + ")";
  Composite& composite = composites_.emplace_back(std::move(plan), calendar_, std::move(what));
  if (values() != nullptr) composite.reading = values()->begin(index, composite.plan);
  scheduler_.submit(composite.plan, index, composite.outputs_left, ledger_.called(calendar_.now()));
  return composite.done;
}

void Pe::transferred(const Transfer& transfer, Picoseconds at) {
  Composite& composite = composites_.at(static_cast<std::size_t>(transfer.composite));
  if (at >= composite.end) {
    composite.end = at;
    composite.reason = transfer.reason;
  }
  --pipeline_.outputs_in_flight;
  if (--composite.outputs_left > 0) return;
  composite.done.complete(composite.end, composite.reason);
  if (values() != nullptr) values()->end(composite.reading, composite.end);
  if (--running_ > 0) return;
  for (const Address region : stage_regions_) tcm_space_.release(region);
  stage_regions_.clear();
  stages_ = 0;
}

}  // namespace kernbench
