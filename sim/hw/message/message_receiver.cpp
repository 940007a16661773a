#include "sim/hw/message/message_receiver.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {

MessageReceiver::MessageReceiver(const Context& context)
    : calendar_(context.calendar),
      network_(context.network),
      name_(context.name),
      spec_(context.machine.pe.message_queue),
      burst_(context.machine.die.hbm.burst),
      slot_stride_(message_slot_stride(context.machine)),
      sender_(context.sender),
      slots_(context.slots),
      values_(context.values),
      add_(context.add),
      mover_(context.mover),
      data_route_(context.network, context.sender, context.slots.node, context.slots.memory),
      credit_latency_(context.network.latency(context.slots.receiver.node, context.sender)),
      credits_(context.calendar, context.name + ": credits", spec_.slots),
      landed_(context.calendar, context.name + ": landed"),
      fetched_(context.calendar, context.name + ": fetched", Consumer::kAtRest),
      operands_(context.calendar, context.name + ": operands", Consumer::kAtWork),
      stored_(context.calendar, context.name + ": stored", Consumer::kAtWork),
      fetch_process_(fetch_landed()) {
  if (slots_.fetch != nullptr) fetch_process_.start(calendar_, calendar_.now());
}

std::shared_ptr<Cargo> MessageReceiver::cargo(CargoEnd from, CargoEnd to, const Block& addressed) const {
  return std::make_shared<Cargo>(*values_, std::move(from), std::move(to), std::vector{addressed}, burst_, name_);
}

void MessageReceiver::read_arrived(const MemoryAccess& /*access*/, Flight /*flight*/) {
  KB_CHECK(false, name_ + ": messages are written");
}

void MessageReceiver::written(const MemoryAccess& access, Picoseconds at) {
  if (!access.last) return;
  const MessagePiece piece = posted_.pop_front();
  (slots_.fetch != nullptr ? landed_ : fetched_.there).push(piece, at);
}

Process MessageReceiver::fetch_landed() {
  for (;;) {
    const MessagePiece piece = co_await landed_.pop();
    Transfer transfer{slot_of(piece), {}, piece.bytes, kReceiveStage};
    transfer.route = slots_.fetch;
    mover_.move(slots_.receiver.pe.reader(), MessageTurn::kFetch, fetched_, piece, std::move(transfer),
                calendar_.now());
  }
}

Task<Picoseconds> MessageReceiver::receive(Bytes bytes, Landing landing, MessagePlace to, Asker asker) {
  KB_CHECK(bytes > 0, name_ + ": an empty message is asked for");
  begin_to_receive();
  Pe& pe = slots_.receiver.pe;
  asker.launch = mover_.launch;
  const Bytes most = message_piece(spec_, to.dtype);
  const auto in_buffer = [&](Bytes done) { return to.piece(done, std::min(most, bytes - done)); };
  const bool adds_in_hbm = to.in_hbm && landing == Landing::kAdd;
  Bytes taken = 0;
  Bytes requested = 0;  // of the operands
  std::int64_t pieces = 0;
  Picoseconds ready = calendar_.now();
  while (taken < bytes) {
    while (adds_in_hbm && requested < bytes && requested < taken + spec_.slots * most) {
      const Block block = in_buffer(requested);
      ask_for_operand(block, to.store);
      requested += block.row_bytes;
    }
    const Picoseconds asked = calendar_.now();
    const MessagePiece piece = co_await fetched_.there.pop();
    expect_length(bytes);
    if (calendar_.now() > asked) co_await calendar_.until(noticed(spec_, calendar_.now()));
    MessagePiece operand;
    if (adds_in_hbm) operand = co_await operands_.there.pop();
    const Block block = in_buffer(taken);
    if (to.scoreboard != nullptr) co_await to.scoreboard->clear(block.address, block.row_bytes);
    ready = calendar_.now();
    if (spec_.consumer == SlotConsumer::kVectorUnit) {
      co_await pe.vector().process(block.elements(), asker);
      ready = calendar_.now() + pe.vector().latency();
    }
    give_credit();
    pe.count_received(block, landing == Landing::kAdd ? 2 : 1);
    if (to.in_hbm) {
      write_result(piece, operand, {to.store, {block}}, ready);
    } else if (values_ != nullptr) {
      put_values(piece, landing, to.store, block, ready);
    }
    taken += piece.bytes;
    ++pieces;
  }
  if (to.in_hbm) {
    while (pieces-- > 0) static_cast<void>(co_await stored_.there.pop());
  }
  co_await calendar_.until(ready);
  sent_.pop_front();
  receiving_ = false;
  co_return calendar_.now();
}

void MessageReceiver::begin_to_receive() {
  if (receiving_) {
    throw SimulationError(name_ +
                          ": two programs of the receiver take messages out of it at once; one has to wait for "
                          "the other, or use another channel");
  }
  receiving_ = true;
}

void MessageReceiver::ask_for_operand(const Block& block, ValueStore* store) {
  MessagePiece operand{block.row_bytes};
  Transfer transfer{block, {}, block.row_bytes, kLoadStage};
  if (values_ != nullptr) operand.cargo = transfer.cargo = cargo({store, {block}}, {}, block);
  mover_.move(slots_.receiver.pe.reader(), MessageTurn::kOperand, operands_, operand, std::move(transfer),
              calendar_.now());
}

void MessageReceiver::write_result(const MessagePiece& piece, const MessagePiece& operand, CargoEnd to,
                                   Picoseconds at) {
  Transfer transfer{to.blocks.front(), {}, piece.bytes, kStoreOutStage};
  if (values_ != nullptr) transfer.cargo = result_of(piece, operand, std::move(to), at);
  mover_.move(slots_.receiver.pe.writer(), MessageTurn::kResult, stored_, piece, std::move(transfer), at);
}

std::shared_ptr<Cargo> MessageReceiver::result_of(const MessagePiece& piece, const MessagePiece& operand, CargoEnd to,
                                                  Picoseconds at) const {
  const Block block = to.blocks.front();
  auto result = cargo({}, std::move(to), block);
  values_->at(at, [result, received = piece.cargo, held = operand.cargo, add = add_, dtype = block.dtype] {
    result->values() = received->values();
    if (held != nullptr) add(held->values(), result->values(), dtype);
  });
  return result;
}

void MessageReceiver::put_values(const MessagePiece& piece, Landing landing, ValueStore* to, const Block& block,
                                 Picoseconds at) const {
  values_->at(at, [this, received = piece.cargo, landing, to, block, at, ticket = to->draw_ticket()] {
    to->touch(block, true, name_, at, ticket);
    std::vector<float> values = received->values();
    if (landing == Landing::kAdd) {
      std::vector<float> held;
      for (std::int64_t i = 0; i < std::ssize(values); ++i) held.push_back(to->get(block.address, i, block.dtype));
      add_(held, values, block.dtype);
    }
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
      to->set(block.address, i, block.dtype, values[static_cast<std::size_t>(i)]);
    }
  });
}

void MessageReceiver::expect_length(Bytes bytes) const {
  KB_CHECK(!sent_.empty(), name_ + ": a piece comes that nobody sent");
  if (sent_.front() == bytes) return;
  throw SimulationError(name_ + ": the sender's next message has " + std::to_string(sent_.front()) +
                        " bytes, the receiver takes one of " + std::to_string(bytes) +
                        "; both sides of a queue name the same messages in the same order");
}

void MessageReceiver::give_credit() {
  const Picoseconds now = calendar_.now();
  if (spec_.credit == 0) {
    credits_.release(1, now + credit_latency_);
  } else {
    network_.inject({slots_.receiver.node, sender_, spec_.credit, this, 0, VirtualNetwork::kCredits}, {now, now});
  }
}

void MessageReceiver::delivered(const NetworkPacket& /*packet*/, Flight flight) { credits_.release(1, flight.tail); }

Block MessageReceiver::slot_of(const MessagePiece& piece) const {
  return {slots_.address + piece.slot * slot_stride_, 1, piece.bytes, piece.bytes, kOwnPartition, piece.dtype};
}

}  // namespace kernbench
