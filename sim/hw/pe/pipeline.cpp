#include "sim/hw/pe/pipeline.hpp"

namespace kernbench {

Pipeline::Pipeline(Calendar& the_calendar, const std::string& pe, const PeSpec& the_spec, PeValues* the_values,
                   Ledger& the_ledger)
    : calendar(the_calendar),
      spec(the_spec),
      values(the_values),
      ledger(the_ledger),
      to_fetch(calendar, pe + ".fetch: tiles"),
      streamed(calendar, pe + ".fetch: streamed operands", Phase::kNormal, Consumer::kAtWork),
      to_convert(calendar, pe + ".vector: operands to convert"),
      to_array(calendar, pe + ".mac: operands"),
      to_vector(calendar, pe + ".vector: results of the array"),
      to_store(calendar, pe + ".store: finished output tiles"),
      stream_slots(calendar, pe + ".schedule: stream-buffer slots", spec.stream_depth),
      registers(calendar, pe + ".fetch: operand registers", spec.mac.operand_registers),
      accumulators(calendar, pe + ".mac: accumulators", spec.mac.accumulators),
      partials(calendar, pe + ".mac: partial-product sets", spec.mac.accumulators),
      sums(calendar, pe + ".vector: sum sets", spec.mac.accumulators),
      output_slots(calendar, pe + ".store: output slots", spec.output_depth),
      kept_sums(calendar, pe + ".fetch: kept sums", 0),
      ring_(static_cast<std::size_t>(spec.stream_depth + spec.mac.operand_registers + 1)) {}

void Pipeline::follow(Repetition& repetition) {
  for (std::int64_t& macs : activity.macs) repetition.count(macs);
  for (std::int64_t* counter : {&activity.vector_operations, &activity.registers, &activity.tcm, &conversions}) {
    repetition.count(*counter);
  }
  kept_sums.follow(repetition);
}

PipelineTile& Pipeline::admit(const TileStep& step, std::int32_t composite, Reason reason) {
  PipelineTile& tile = ring_[next_];
  next_ = next_ + 1 == ring_.size() ? 0 : next_ + 1;
  tile = {step, composite, reason};
  ++tiles_in_flight;
  outputs_in_flight += step.last ? 1 : 0;
  const Bytes stored = step.last ? step.output.block.bytes() : 0;
  if (step.macs > 0) activity.macs.at(static_cast<std::size_t>(step.operands[0].dtype)) += step.valid_macs();
  activity.vector_operations += step.vector_operations;
  conversions += step.conversions;
  activity.registers += step.fetch_bytes + stored;
  activity.tcm += step.fetch_bytes + (step.output.accumulates ? 2 : 1) * stored;  // added to what is read
  return tile;
}

PipelineUnit::PipelineUnit(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log, const Stage& stage)
    : sc_module(name), pipeline_(pipeline), log_(log.open(this->name(), stage)) {}

void PipelineUnit::start(Process process) {
  process_ = std::move(process);
  process_.start(pipeline_.calendar);
}

}  // namespace kernbench
