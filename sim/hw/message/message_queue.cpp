#include "sim/hw/message/message_queue.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"

namespace kernbench {

MessageQueue::MessageQueue(const Context& context)
    : calendar_(context.calendar),
      name_(context.name),
      spec_(context.machine.pe.message_queue),
      burst_(context.machine.die.hbm.burst),
      sender_(context.sender),
      values_(context.values),
      mover_(context.mover),
      messages_(context.calendar, context.name + ": messages"),
      loaded_(context.calendar, context.name + ": loaded", Consumer::kAtRest),
      send_process_(send_messages()),
      post_process_(post_loaded()) {
  for (const MessageSlots& slots : context.receivers) {
    receivers_.emplace_back(MessageReceiver::Context{context.calendar, context.network, context.machine, sender_.node,
                                                     slots, values_, context.add, mover_, name_});
  }
  if (receivers_.size() > 1 && context.machine.die.router.multicast) {
    std::vector<MulticastRoute::Receiver> to;
    for (MessageReceiver& receiver : receivers_) to.push_back({&receiver.route(), &receiver.client()});
    to_all_.emplace(context.network, sender_.node, std::move(to));
  }
  send_process_.start(calendar_, calendar_.now());
  post_process_.start(calendar_, calendar_.now());
}

void MessageQueue::send(Bytes bytes, const MessagePlace& from, Completion* left, Reason reason) {
  KB_CHECK(bytes > 0, name_ + ": an empty message is sent");
  for (MessageReceiver& receiver : receivers_) receiver.announce(bytes);
  Message message{bytes, from, left, nullptr, {}, reason, calendar_.now()};
  if (from.scoreboard != nullptr) message.read = &from.scoreboard->open(from.address, bytes);
  const Bytes most = message_piece(spec_, from.dtype);
  for (Bytes named = 0; values_ != nullptr && named < bytes; named += most) {  // being read from now on
    MessagePiece piece{std::min(most, bytes - named), named_slot_++ % spec_.slots};
    piece.dtype = from.dtype;
    const Block block = from.piece(named, piece.bytes);
    const Block addressed = from.in_hbm ? block : receivers_.front().slot_of(piece);
    message.cargo.push_back(std::make_shared<Cargo>(*values_, CargoEnd{from.store, {block}}, CargoEnd{},
                                                    std::vector{addressed}, burst_, name_));
  }
  messages_.push(std::move(message));
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
      for (MessageReceiver& receiver : receivers_) co_await receiver.credits().acquire(1);
      if (calendar_.now() > asked) co_await calendar_.until(noticed(spec_, calendar_.now()));
      MessagePiece piece{std::min(most, message.bytes - sent), next_slot_++ % spec_.slots};
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
        mover_.move(sender_.pe.reader(), MessageTurn::kLoad, loaded_, piece, std::move(transfer), calendar_.now());
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

void MessageQueue::post(MessagePiece piece, std::shared_ptr<Cargo> reads) {
  Completion* const left = std::exchange(piece.left, nullptr);
  Scoreboard::Read* const read = std::exchange(piece.read, nullptr);
  const std::size_t posts = to_all_ ? 1 : receivers_.size();
  for (MessageReceiver& receiver : receivers_) receiver.announce(piece);
  for (std::size_t number = 0; number < posts; ++number) {
    MessageReceiver& receiver = receivers_[number];
    const bool last = number + 1 == posts;
    Transfer transfer{receiver.slot_of(piece), {}, piece.bytes, kSendStage};
    transfer.route = to_all_ ? static_cast<MemoryRoute*>(&*to_all_) : &receiver.route();
    transfer.receiver = &receiver.client();
    transfer.listener = last ? read : nullptr;
    transfer.done = last ? left : nullptr;
    transfer.reason = piece.reason;
    transfer.cargo = std::exchange(reads, nullptr);
    mover_.submit(sender_.pe.writer(), MessageTurn::kPost, std::move(transfer), calendar_.now());
  }
}

}  // namespace kernbench
