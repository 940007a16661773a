#include "sim/hw/message/message_queue.hpp"

#include <algorithm>
#include <string>

#include "sim/base/check.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {

Bytes message_slot_stride(const MachineSpec& machine) {
  const Bytes burst = machine.die.hbm.burst;
  return ceil_div(machine.pe.message_queue.slot, burst) * burst;
}

MessageQueue::MessageQueue(const Context& context)
    : calendar_(context.calendar),
      name_(context.name),
      network_(context.network),
      spec_(context.machine.pe.message_queue),
      slot_stride_(message_slot_stride(context.machine)),
      sender_(context.sender),
      receiver_(context.receiver),
      data_route_(context.network, context.sender.node, context.slot_node, context.slot_memory),
      fetch_route_(context.fetch),
      slots_address_(context.slots_address),
      number_(context.number),
      credit_latency_(context.network.latency(context.receiver.node, context.sender.node)),
      messages_(context.calendar, context.name + ": messages"),
      credits_(context.calendar, context.name + ": credits", spec_.slots),
      loaded_(context.calendar, context.name + ": loaded"),
      landed_(context.calendar, context.name + ": landed"),
      fetched_(context.calendar, context.name + ": fetched"),
      operands_(context.calendar, context.name + ": operands"),
      stored_(context.calendar, context.name + ": stored"),
      send_process_(send_messages()),
      post_process_(post_loaded()),
      fetch_process_(fetch_landed()) {
  send_process_.start(calendar_, calendar_.now());
  post_process_.start(calendar_, calendar_.now());
  if (fetch_route_ != nullptr) fetch_process_.start(calendar_, calendar_.now());
}

void MessageQueue::send(Bytes bytes, HbmAddress from, std::vector<float> values) {
  KB_CHECK(bytes > 0, name_ + ": an empty message is sent");
  sent_.push_back({bytes, std::move(values)});
  messages_.push({bytes, from});
}

Process MessageQueue::send_messages() {
  for (;;) {
    const Message message = co_await messages_.pop();
    for (Bytes sent = 0; sent < message.bytes;) {
      const Picoseconds asked = calendar_.now();
      co_await credits_.acquire(1);
      if (calendar_.now() > asked) co_await calendar_.until(noticed());
      const Piece piece{std::min(spec_.slot, message.bytes - sent), next_slot_++ % spec_.slots};
      if (message.from) {
        const Block block{*message.from + sent, 1, piece.bytes, piece.bytes};
        move(sender_.pe.reader(), Turn::kLoad, loaded_, piece, {block, {}, piece.bytes, kLoadStage}, calendar_.now());
      } else {
        post(piece);
      }
      sent += piece.bytes;
    }
  }
}

Process MessageQueue::post_loaded() {
  for (;;) post(co_await loaded_.there.pop());
}

void MessageQueue::post(const Piece& piece) {
  posted_.push_back(piece);
  Transfer transfer{slot_block(piece), {}, piece.bytes, kSendStage};
  transfer.route = &data_route_;
  transfer.receiver = this;
  submit(sender_.pe.writer(), Turn::kPost, std::move(transfer), calendar_.now());
}

void MessageQueue::read_arrived(const MemoryAccess& /*access*/, Flight /*flight*/) {
  KB_CHECK(false, name_ + ": messages are written");
}

void MessageQueue::written(const MemoryAccess& access, Picoseconds at) {
  if (!access.last) return;
  const Piece piece = posted_.front();
  posted_.pop_front();
  (fetch_route_ != nullptr ? landed_ : fetched_.there).push(piece, at);
}

Process MessageQueue::fetch_landed() {
  for (;;) {
    const Piece piece = co_await landed_.pop();
    Transfer transfer{slot_block(piece), {}, piece.bytes, kReceiveStage};
    transfer.route = fetch_route_;
    move(receiver_.pe.reader(), Turn::kFetch, fetched_, piece, std::move(transfer), calendar_.now());
  }
}

Task<std::vector<float>> MessageQueue::receive(Bytes bytes, Landing landing, HbmAddress to, std::int64_t thread) {
  KB_CHECK(bytes > 0, name_ + ": an empty message is asked for");
  Pe& pe = receiver_.pe;
  const auto in_hbm = [&](Bytes done) {
    const Bytes piece = std::min(spec_.slot, bytes - done);
    return Block{*to + done, 1, piece, piece};
  };
  Bytes taken = 0;
  Bytes requested = 0;  // of the operands
  std::int64_t pieces = 0;
  Picoseconds ready = calendar_.now();
  while (taken < bytes) {
    if (to && landing == Landing::kAdd) {
      while (requested < bytes && requested < taken + spec_.slots * spec_.slot) {
        const Block block = in_hbm(requested);
        move(pe.reader(), Turn::kOperand, operands_, {block.row_bytes}, {block, {}, block.row_bytes, kLoadStage},
             calendar_.now());
        requested += block.row_bytes;
      }
    }
    const Picoseconds asked = calendar_.now();
    const Piece piece = co_await fetched_.there.pop();
    expect_length(bytes);
    if (calendar_.now() > asked) co_await calendar_.until(noticed());
    if (to && landing == Landing::kAdd) static_cast<void>(co_await operands_.there.pop());
    ready = calendar_.now();
    if (spec_.consumer == SlotConsumer::kVectorUnit) {
      co_await pe.vector().process(piece.bytes / kElementBytes, thread);
      ready = calendar_.now() + pe.vector().latency();
    }
    give_credit();
    if (to) {
      const Block block = in_hbm(taken);
      move(pe.writer(), Turn::kResult, stored_, piece, {block, {}, piece.bytes, kStoreOutStage}, ready);
    }
    taken += piece.bytes;
    ++pieces;
  }
  if (to) {
    while (pieces-- > 0) static_cast<void>(co_await stored_.there.pop());
  }
  co_await calendar_.until(ready);
  std::vector<float> values = std::move(sent_.front().values);
  sent_.pop_front();
  co_return values;
}

void MessageQueue::expect_length(Bytes bytes) const {
  KB_CHECK(!sent_.empty(), name_ + ": a piece comes that nobody sent");
  if (sent_.front().bytes == bytes) return;
  throw SimulationError(name_ + ": the sender's next message has " + std::to_string(sent_.front().bytes) +
                        " bytes, the receiver takes one of " + std::to_string(bytes) +
                        "; both sides of a queue name the same messages in the same order");
}

void MessageQueue::give_credit() {
  const Picoseconds now = calendar_.now();
  if (spec_.credit == 0) {
    credits_.release(1, now + credit_latency_);
  } else {
    network_.inject({receiver_.node, sender_.node, spec_.credit, this, 0, VirtualNetwork::kCredits}, {now, now});
  }
}

void MessageQueue::delivered(const NetworkPacket& /*packet*/, Flight flight) { credits_.release(1, flight.tail); }

void MessageQueue::Moved::transferred(const Transfer& /*transfer*/, Picoseconds at) {
  there.push(under_way.front(), at);
  under_way.pop_front();
}

void MessageQueue::submit(DmaEngine& engine, Turn turn, Transfer transfer, Picoseconds at) const {
  transfer.turn = (static_cast<std::int64_t>(turn) << 32U) + number_;
  engine.submit(std::move(transfer), at);
}

void MessageQueue::move(DmaEngine& engine, Turn turn, Moved& moved, const Piece& piece, Transfer transfer,
                        Picoseconds at) {
  moved.under_way.push_back(piece);
  transfer.listener = &moved;
  submit(engine, turn, std::move(transfer), at);
}

Block MessageQueue::slot_block(const Piece& piece) const {
  return {slots_address_ + piece.slot * slot_stride_, 1, piece.bytes, piece.bytes};
}

Picoseconds MessageQueue::noticed() const {
  const Picoseconds now = calendar_.now();
  if (spec_.wait == ReceiveWait::kSleep) return now + spec_.wake;
  return ceil_div(now.value, spec_.poll_interval.value) * spec_.poll_interval;
}

}  // namespace kernbench
