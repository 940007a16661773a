// Messages between ranks (28.8 to 28.10, 28.26, 65.7).
#include <string>

#include "sim/system/kernel_launch.hpp"

namespace kernbench {

KernelRank::Incoming KernelRank::incoming(const MatrixLayout& into, const KernelPe::Receive& what) {
  const std::string call = what.call;
  std::int32_t channel = what.channel;
  if (what.group != nullptr) {
    channel = channel_of(*what.group, Side::kReceiver, what.call);
  } else {
    static_cast<void>(peer(what.from, what.call));
  }
  expect_held(into, call + ": the matrix");
  const MessagePlace place = place_of(into, what.call);
  KernelLaunch::Channel& of = receiving(into, what.from, channel);
  return {.channel = &of,
          .before = of.received,
          .into = into,
          .place = place,
          .landing = what.add ? Landing::kAdd : Landing::kReplace,
          .number = receives_begun_++,
          .wait = {.call = what.call, .from = what.from, .channel = channel, .round = what.round}};
}

Task<Picoseconds> KernelRank::take(Incoming message) {
  const RankWaits waits(*this, message.wait);
  if (message.before != nullptr) co_await message.before->wait();
  MessageReceiver& queue = message.channel->queue->receiver(message.channel->receiver);
  co_return co_await queue.receive(message.into.footprint(), message.landing, message.place,
                                   {.receive = message.number});
}

Completion& KernelRank::start_to_take(const Incoming& message) {
  Completion& received =
      begun(std::string(message.wait.call) + " of " + dimensions(message.into) + " elements from rank " +
            std::to_string(message.wait.from) + " on " + launch.channel_text(message.wait.channel));
  message.channel->received = &received;
  while (!receives_.empty() && receives_.front().done()) receives_.pop_front();
  receives_.push_back(take_beside(message, &received, ledger().called(pe.now())));
  receives_.back().start(system.calendar(), system.calendar().now());
  return received;
}

Process KernelRank::take_beside(Incoming message, Completion* received, Reason reason) {
  const Picoseconds asked = pe.now();
  try {
    const Picoseconds taken = co_await take(message);
    received->complete(taken, ledger().add(Cause::kReceive, asked, taken, reason));
  } catch (...) {
    rethrow();
  }
}

Task<Pending> KernelPe::send(MatrixLayout matrix, std::int32_t to, std::int32_t channel) {
  co_await rank_->control_call();
  static_cast<void>(rank_->peer(to, "send"));
  rank_->expect_held(matrix, "send: the matrix");
  const MessagePlace place = rank_->place_of(matrix, "send");
  MessageQueue& queue = rank_->sending(matrix, to, channel);
  Completion& left = rank_->begun("send of " + dimensions(matrix) + " elements to rank " + std::to_string(to) +
                                  " on channel " + std::to_string(channel));
  queue.send(matrix.footprint(), place, &left, rank_->ledger().called(rank_->pe.now()));
  co_return Pending{&left};
}

Task<Picoseconds> KernelPe::recv(MatrixLayout into, std::int32_t from, std::int32_t channel) {
  return receive(into, {.from = from, .channel = channel});
}

Task<Picoseconds> KernelPe::recv_add(MatrixLayout into, std::int32_t from, std::int32_t channel) {
  return receive(into, {.call = "recv_add", .from = from, .channel = channel, .add = true});
}

Task<Pending> KernelPe::multicast(MatrixLayout matrix, MulticastGroup group) {
  co_await rank_->control_call();
  const std::int32_t channel = rank_->channel_of(group, KernelRank::Side::kSender, "multicast");
  rank_->expect_held(matrix, "multicast: the matrix");
  const MessagePlace place = rank_->place_of(matrix, "multicast");
  MessageQueue* queue = nullptr;
  for (const std::int32_t to : group.to) queue = &rank_->sending(matrix, to, channel);
  Completion& left =
      rank_->begun("send of " + dimensions(matrix) + " elements to " + std::to_string(group.to.size()) + " ranks");
  queue->send(matrix.footprint(), place, &left, rank_->ledger().called(rank_->pe.now()));
  co_return Pending{&left};
}

Task<Picoseconds> KernelPe::recv(MatrixLayout into, MulticastGroup group) {
  co_return co_await receive(into, {.from = group.from, .group = &group});
}

Task<Operand> KernelPe::irecv(MatrixLayout into, std::int32_t from, std::int32_t channel) {
  return start_receive(into, {.call = "irecv", .from = from, .channel = channel});
}

Task<Operand> KernelPe::irecv(MatrixLayout into, MulticastGroup group) {
  co_return co_await start_receive(into, {.call = "irecv", .from = group.from, .group = &group});
}

Task<Picoseconds> KernelPe::receive(MatrixLayout into, Receive what) {
  co_await rank_->control_call();
  const KernelRank::Incoming message = rank_->incoming(into, what);
  const Picoseconds asked = rank_->pe.now();
  const Picoseconds received = co_await rank_->take(message);
  rank_->ledger().received(asked, rank_->pe.now(), what.round < 0 ? Cause::kReceive : Cause::kBarrier);
  co_return received;
}

Task<Operand> KernelPe::start_receive(MatrixLayout into, Receive what) {
  co_await rank_->control_call();
  co_return Operand{into, {}, &rank_->start_to_take(rank_->incoming(into, what))};
}

Task<Picoseconds> KernelPe::barrier() {
  const MatrixLayout sent = rank_->barrier_elements();
  const MatrixLayout received = sent.at(kOwnTcm, sent.base + kElementBytes);
  ++rank_->barriers;
  std::int32_t round = 0;
  for (std::int32_t distance = 1; distance < size(); distance *= 2) {
    const std::int32_t channel = -1 - round;  // of their own
    static_cast<void>(co_await send(sent, (rank() + distance) % size(), channel));
    const std::int32_t from = (rank() - distance + size()) % size();
    co_await receive(received, {.from = from, .channel = channel, .round = round++});
  }
  co_return rank_->pe.now();
}

}  // namespace kernbench
