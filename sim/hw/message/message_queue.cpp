#include "sim/hw/message/message_queue.hpp"

#include <algorithm>
#include <string>

#include "sim/base/check.hpp"
#include "sim/base/errors.hpp"
#include "sim/hw/pe/asker.hpp"

namespace kernbench {

Bytes message_piece(const MessageQueueSpec& queue, Dtype dtype) { return queue.slot - queue.slot % bytes_of(dtype); }

Bytes message_slot_stride(const MachineSpec& machine) {
  const Bytes burst = machine.die.hbm.burst;
  return ceil_div(machine.pe.message_queue.slot, burst) * burst;
}

MessageQueue::MessageQueue(const Context& context)
    : calendar_(context.calendar),
      name_(context.name),
      network_(context.network),
      spec_(context.machine.pe.message_queue),
      burst_(context.machine.die.hbm.burst),
      slot_stride_(message_slot_stride(context.machine)),
      sender_(context.sender),
      receiver_(context.receiver),
      data_route_(context.network, context.sender.node, context.slot_node, context.slot_memory),
      fetch_route_(context.fetch),
      slots_address_(context.slots_address),
      number_(context.number),
      launch_(context.launch),
      values_(context.values),
      add_(context.add),
      credit_latency_(context.network.latency(context.receiver.node, context.sender.node)),
      messages_(context.calendar, context.name + ": messages"),
      credits_(context.calendar, context.name + ": credits", spec_.slots),
      loaded_(context.calendar, context.name + ": loaded", Consumer::kAtRest),
      landed_(context.calendar, context.name + ": landed"),
      fetched_(context.calendar, context.name + ": fetched", Consumer::kAtRest),
      operands_(context.calendar, context.name + ": operands", Consumer::kAtWork),
      stored_(context.calendar, context.name + ": stored", Consumer::kAtWork),
      send_process_(send_messages()),
      post_process_(post_loaded()),
      fetch_process_(fetch_landed()) {
  send_process_.start(calendar_, calendar_.now());
  post_process_.start(calendar_, calendar_.now());
  if (fetch_route_ != nullptr) fetch_process_.start(calendar_, calendar_.now());
}

void MessageQueue::send(Bytes bytes, const MessagePlace& from, Completion* left, Reason reason) {
  KB_CHECK(bytes > 0, name_ + ": an empty message is sent");
  sent_.push_back(bytes);
  Message message{bytes, from, left, nullptr, {}, reason, calendar_.now()};
  if (from.scoreboard != nullptr) message.read = &from.scoreboard->open(from.address, bytes);
  const Bytes most = message_piece(spec_, from.dtype);
  for (Bytes named = 0; values_ != nullptr && named < bytes; named += most) {  // being read from now on
    Piece piece{std::min(most, bytes - named), named_slot_++ % spec_.slots};
    piece.dtype = from.dtype;
    const Block block = from.piece(named, piece.bytes);
    message.cargo.push_back(cargo({from.store, {block}}, {}, from.in_hbm ? block : slot_block(piece)));
  }
  messages_.push(std::move(message));
}

std::shared_ptr<Cargo> MessageQueue::cargo(CargoEnd from, CargoEnd to, const Block& addressed) const {
  return std::make_shared<Cargo>(*values_, std::move(from), std::move(to), std::vector{addressed}, burst_, name_);
}

Process MessageQueue::send_messages() {
  for (;;) {
    const Message message = co_await messages_.pop();
    const Bytes most = message_piece(spec_, message.from.dtype);
    std::size_t number = 0;
    Reason reason = message.reason;
    Picoseconds since = message.called;
    for (Bytes sent = 0; sent < message.bytes;) {
      const Picoseconds asked = calendar_.now();
      co_await credits_.acquire(1);
      if (calendar_.now() > asked) co_await calendar_.until(noticed());
      Piece piece{std::min(most, message.bytes - sent), next_slot_++ % spec_.slots};
      piece.dtype = message.from.dtype;
      if (reason != kNoReason) reason = sender_.pe.ledger().add(Cause::kReceive, since, calendar_.now(), reason);
      since = calendar_.now();
      piece.reason = reason;
      if (!message.cargo.empty()) piece.cargo = message.cargo[number++];
      piece.read = message.read;
      if (sent + piece.bytes == message.bytes) piece.left = message.left;
      if (message.from.in_hbm) {
        Transfer transfer{message.from.piece(sent, piece.bytes), {}, piece.bytes, kLoadStage};
        transfer.cargo = piece.cargo;
        transfer.reason = piece.reason;
        move(sender_.pe.reader(), MessageTurn::kLoad, loaded_, piece, std::move(transfer), calendar_.now());
      } else {
        post(piece, piece.cargo);
      }
      sent += piece.bytes;
    }
  }
}

Process MessageQueue::post_loaded() {
  for (;;) post(co_await loaded_.there.pop(), nullptr);  // it has been read
}

void MessageQueue::post(Piece piece, std::shared_ptr<Cargo> reads) {
  Transfer transfer{slot_block(piece), {}, piece.bytes, kSendStage};
  transfer.route = &data_route_;
  transfer.receiver = this;
  transfer.listener = std::exchange(piece.read, nullptr);
  transfer.done = piece.left;
  transfer.reason = piece.reason;
  transfer.cargo = std::move(reads);
  posted_.push_back(std::move(piece));
  submit(sender_.pe.writer(), MessageTurn::kPost, std::move(transfer), calendar_.now());
}

void MessageQueue::read_arrived(const MemoryAccess& /*access*/, Flight /*flight*/) {
  KB_CHECK(false, name_ + ": messages are written");
}

void MessageQueue::written(const MemoryAccess& access, Picoseconds at) {
  if (!access.last) return;
  const Piece piece = posted_.pop_front();
  (fetch_route_ != nullptr ? landed_ : fetched_.there).push(piece, at);
}

Process MessageQueue::fetch_landed() {
  for (;;) {
    const Piece piece = co_await landed_.pop();
    Transfer transfer{slot_block(piece), {}, piece.bytes, kReceiveStage};
    transfer.route = fetch_route_;
    move(receiver_.pe.reader(), MessageTurn::kFetch, fetched_, piece, std::move(transfer), calendar_.now());
  }
}

Task<Picoseconds> MessageQueue::receive(Bytes bytes, Landing landing, MessagePlace to, std::int64_t thread) {
  KB_CHECK(bytes > 0, name_ + ": an empty message is asked for");
  begin_to_receive();
  Pe& pe = receiver_.pe;
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
    const Piece piece = co_await fetched_.there.pop();
    expect_length(bytes);
    if (calendar_.now() > asked) co_await calendar_.until(noticed());
    Piece operand;
    if (adds_in_hbm) operand = co_await operands_.there.pop();
    const Block block = in_buffer(taken);
    if (to.scoreboard != nullptr) co_await to.scoreboard->clear(block.address, block.row_bytes);
    ready = calendar_.now();
    if (spec_.consumer == SlotConsumer::kVectorUnit) {
      co_await pe.vector().process(block.elements(), {.thread = thread, .launch = launch_});
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

void MessageQueue::begin_to_receive() {
  if (receiving_) {
    throw SimulationError(name_ +
                          ": two programs of the receiver take messages out of it at once; one has to wait for "
                          "the other, or use another channel");
  }
  receiving_ = true;
}

void MessageQueue::ask_for_operand(const Block& block, ValueStore* store) {
  Piece operand{block.row_bytes};
  Transfer transfer{block, {}, block.row_bytes, kLoadStage};
  if (values_ != nullptr) operand.cargo = transfer.cargo = cargo({store, {block}}, {}, block);
  move(receiver_.pe.reader(), MessageTurn::kOperand, operands_, operand, std::move(transfer), calendar_.now());
}

void MessageQueue::write_result(const Piece& piece, const Piece& operand, CargoEnd to, Picoseconds at) {
  Transfer transfer{to.blocks.front(), {}, piece.bytes, kStoreOutStage};
  if (values_ != nullptr) transfer.cargo = result_of(piece, operand, std::move(to), at);
  move(receiver_.pe.writer(), MessageTurn::kResult, stored_, piece, std::move(transfer), at);
}

std::shared_ptr<Cargo> MessageQueue::result_of(const Piece& piece, const Piece& operand, CargoEnd to,
                                               Picoseconds at) const {
  const Block block = to.blocks.front();
  auto result = cargo({}, std::move(to), block);
  const auto add = [rounds = add_, dtype = block.dtype](float one, float other) { return rounds(one, other, dtype); };
  values_->at(at, [result, received = piece.cargo, held = operand.cargo, add] {
    result->values() = received->values();
    if (held != nullptr) std::ranges::transform(held->values(), result->values(), result->values().begin(), add);
  });
  return result;
}

void MessageQueue::put_values(const Piece& piece, Landing landing, ValueStore* to, const Block& block,
                              Picoseconds at) const {
  values_->at(at, [this, received = piece.cargo, landing, to, block, at, ticket = to->draw_ticket()] {
    to->touch(block, true, name_, at, ticket);
    Address address = block.address;
    for (const float value : received->values()) {
      to->set(address, landing == Landing::kAdd ? add_(to->get(address), value, block.dtype) : value);
      address += bytes_of(block.dtype);
    }
  });
}

void MessageQueue::expect_length(Bytes bytes) const {
  KB_CHECK(!sent_.empty(), name_ + ": a piece comes that nobody sent");
  if (sent_.front() == bytes) return;
  throw SimulationError(name_ + ": the sender's next message has " + std::to_string(sent_.front()) +
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

void MessageQueue::Moved::transferred(const Transfer& transfer, Picoseconds at) {
  Piece piece = under_way.pop_front();
  piece.reason = transfer.reason;
  if (piece.read != nullptr) std::exchange(piece.read, nullptr)->transferred(transfer, at);
  there.push(std::move(piece), at);
}

void MessageQueue::submit(DmaEngine& engine, MessageTurn turn, Transfer transfer, Picoseconds at) const {
  transfer.turn = turn_of(turn, number_, launch_);
  transfer.beside = launch_ > 0;
  engine.submit(std::move(transfer), at);
}

void MessageQueue::move(DmaEngine& engine, MessageTurn turn, Moved& moved, const Piece& piece, Transfer transfer,
                        Picoseconds at) {
  moved.under_way.push_back(piece);
  transfer.listener = &moved;
  submit(engine, turn, std::move(transfer), at);
}

Block MessageQueue::slot_block(const Piece& piece) const {
  return {slots_address_ + piece.slot * slot_stride_, 1, piece.bytes, piece.bytes, kOwnPartition, piece.dtype};
}

Picoseconds MessageQueue::noticed() const {
  const Picoseconds now = calendar_.now();
  if (spec_.wait == ReceiveWait::kSleep) return now + spec_.wake;
  return ceil_div(now.value, spec_.poll_interval.value) * spec_.poll_interval;
}

}  // namespace kernbench
