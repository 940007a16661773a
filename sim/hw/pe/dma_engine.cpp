#include "sim/hw/pe/dma_engine.hpp"

#include <utility>

namespace kernbench {

DmaEngine::DmaEngine(const sc_core::sc_module_name& name, const Context& context)
    : sc_module(name),
      memory("memory"),
      calendar_(context.calendar),
      setup_(context.machine.pe.dma.setup),
      burst_(context.machine.die.hbm.burst),
      packet_bursts_(context.machine.simulation.packet / burst_),
      data_(context.data),
      queue_(context.calendar, std::string(this->name()) + ".transfers"),
      credits_(context.calendar, std::string(this->name()) + ".credits", context.machine.pe.dma.outstanding_bursts),
      process_(run()) {
  process_.start(context.calendar);
}

void DmaEngine::log_stage(OpLog& log, Stage stage) {
  channels_.at(static_cast<std::size_t>(stage)) = &log.open(name(), stage);
}

Process DmaEngine::run() {
  for (;;) {
    Transfer next = co_await queue_.pop();
    in_flight_.push_back({std::move(next), calendar_.now()});
    const Transfer& transfer = in_flight_.back().transfer;
    const Picoseconds ready = calendar_.now() + setup_;
    const std::size_t blocks = 1 + transfer.more.size();
    for (std::size_t i = 0; i < blocks; ++i) {
      PacketCursor cursor(i == 0 ? transfer.block : transfer.more[i - 1], burst_, packet_bursts_);
      Packet packet;
      Packet following;
      bool more = cursor.next(packet);
      while (more) {
        more = cursor.next(following);
        co_await credits_.acquire(packet.bursts, ready);
        issue(packet, !more && i + 1 == blocks, transfer);
        packet = following;
      }
    }
  }
}

void DmaEngine::packet_done(const Packet& packet, bool last, Picoseconds at) {
  credits_.release(packet.bursts, at);
  if (!last) return;
  const InFlight& oldest = in_flight_.front();
  const Transfer& transfer = oldest.transfer;
  channels_.at(static_cast<std::size_t>(transfer.stage))
      ->record({oldest.start, at, transfer.bytes, 0, transfer.tile, transfer.composite});
  complete(transfer, at);
  if (transfer.listener != nullptr) transfer.listener->transferred(transfer, at);
  if (transfer.done != nullptr) transfer.done->complete(at);
  in_flight_.pop_front();
}

DmaReader::DmaReader(const sc_core::sc_module_name& name, const Context& context, Link& tcm_write)
    : DmaEngine(name, context), latency_(context.route.latency), answer_(context.route.to_pe) {
  answer_.append(tcm_write);
  log_stage(context.log, Stage::kLoad);
  log_stage(context.log, Stage::kDmaIn);
  if (data() != nullptr) arrivals_.emplace(context.calendar, std::string(this->name()) + " (observer)");
}

void DmaReader::complete(const Transfer& transfer, Picoseconds at) {
  if (arrivals_) arrivals_->at(at, [data = data(), transfer] { data->arrived(transfer); });
}

void DmaReader::issue(const Packet& packet, bool last, const Transfer& /*transfer*/) {
  memory->read({packet, last, this, &answer_}, now() + latency_);
}

DmaWriter::DmaWriter(const sc_core::sc_module_name& name, const Context& context, Link& tcm_read, Tokens& buffers)
    : DmaEngine(name, context), to_memory_(context.route.to_memory), tcm_read_(tcm_read), buffers_(buffers) {
  log_stage(context.log, Stage::kDmaOut);
  log_stage(context.log, Stage::kStoreOut);
  if (data() != nullptr) departures_.emplace(context.calendar, std::string(this->name()) + " (observer)");
}

void DmaWriter::issue(const Packet& packet, bool last, const Transfer& transfer) {
  const Bytes bytes = packet.bursts * burst();
  const Flight out = tcm_read_.carry({now(), now()}, bytes);
  if (last) {
    if (departures_) departures_->at(out.tail, [data = data(), transfer] { data->sent(transfer); });
    if (transfer.stage == Stage::kDmaOut) buffers_.release(1, out.tail);
  }
  memory->write({packet, last, this, nullptr}, to_memory_.carry(out, bytes).tail);
}

}  // namespace kernbench
