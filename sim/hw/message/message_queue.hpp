// A message queue from one PE to another, or to several that hear the same: a ring of slots at each receiver, credits
// at the sender (adr/0019, adr/0065).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"
#include "sim/hw/message/message_receiver.hpp"
#include "sim/hw/noc/multicast_route.hpp"

namespace kernbench {

class MessageQueue {
 public:
  struct Context {
    Calendar& calendar;
    Network& network;
    const MachineSpec& machine;
    MessageEnd sender;
    std::vector<MessageSlots> receivers;
    ValueClock* values = nullptr;  ///< null: no values are carried
    AddValues add = nullptr;       ///< what Landing::kAdd does to them
    MessageMover mover;
    std::string name;
  };

  explicit MessageQueue(const Context& context);
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;
  ~MessageQueue() = default;

  /// Starts to send `bytes` (not 0) now; returns at once. Values are read when the DMA engine reads them. `left`, if
  /// any, is complete when the last of them has left the TCM.
  /// `reason`: in the sender's ledger, of the call.
  void send(Bytes bytes, const MessagePlace& from, Completion* left = nullptr, Reason reason = kNoReason);

  [[nodiscard]] MessageReceiver& receiver(std::size_t number = 0) { return receivers_.at(number); }

 private:
  struct Message {
    Bytes bytes = 0;
    MessagePlace from;
    Completion* left = nullptr;
    Scoreboard::Read* read = nullptr;
    std::vector<std::shared_ptr<Cargo>> cargo;  ///< in runs that carry values: of each piece
    Reason reason = kNoReason;
    Picoseconds called;
  };

  Process send_messages();
  Process post_loaded();
  /// Once for all receivers, or to each. `reads`: of what leaves the TCM now.
  void post(MessagePiece piece, std::shared_ptr<Cargo> reads);

  Calendar& calendar_;
  std::string name_;
  const MessageQueueSpec& spec_;
  Bytes burst_;
  MessageEnd sender_;
  ValueClock* values_;
  MessageMover mover_;
  std::deque<MessageReceiver> receivers_;
  std::optional<MulticastRoute> to_all_;  ///< where routers copy what several receive

  Queue<Message> messages_;
  std::int64_t next_slot_ = 0;
  std::int64_t named_slot_ = 0;  ///< of pieces whose values wait to be read
  MovedPieces loaded_;           ///< from HBM into TCM, to be posted
  Process send_process_;
  Process post_process_;
};

}  // namespace kernbench
