// A receiver's end of a message queue: its slots, what comes into them, and the credits that it gives back (adr/0019).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sim/base/ring_buffer.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"
#include "sim/engine/tokens.hpp"
#include "sim/hw/message/message_piece.hpp"
#include "sim/hw/noc/network_route.hpp"
#include "sim/hw/pe/pe.hpp"

namespace kernbench {

/// One end of a queue: a PE and where it hangs off the network.
struct MessageEnd {
  Pe& pe;
  std::int32_t node = 0;  ///< of the network's plan
};

/// A receiver, and the memory that holds its slots.
struct MessageSlots {
  MessageEnd receiver;
  std::int32_t node = 0;  ///< of the memory
  MemoryPort& memory;
  MemoryRoute* fetch = nullptr;  ///< receiver's route to the slots; null where they lie in its TCM
  Address address = 0;           ///< in that memory
};

/// How a receiver's values change: a sum, in the place of what is received, is exact, or rounded to a dtype, such as
/// that of the elements.
using AddValues = void (*)(std::span<const float> held, std::span<float> received, Dtype dtype);

/// What becomes of a buffer that a message comes into.
enum class Landing : std::uint8_t { kReplace, kAdd };

class MessageReceiver : private MemoryClient, private PacketSink {
 public:
  struct Context {
    Calendar& calendar;
    Network& network;
    const MachineSpec& machine;
    std::int32_t sender = 0;  ///< node of the PE
    MessageSlots slots;
    ValueClock* values = nullptr;  ///< null: no values are carried
    AddValues add = nullptr;       ///< what Landing::kAdd does to them
    MessageMover mover;
    std::string name;
  };
  explicit MessageReceiver(const Context& context);

  /// Takes the next message, of `bytes`, out of its slots as they come, for somebody of the queue's launch; done when
  /// the result can be used. Returns the time. Throws SimulationError where the next message has another length.
  Task<Picoseconds> receive(Bytes bytes, Landing landing, MessagePlace to, Asker asker);

  // At the sender.
  [[nodiscard]] Tokens& credits() { return credits_; }
  [[nodiscard]] NetworkRoute& route() { return data_route_; }
  [[nodiscard]] MemoryClient& client() { return *this; }
  /// A message of so many bytes is sent, and then its pieces.
  void announce(Bytes bytes) { sent_.push_back(bytes); }
  void announce(MessagePiece piece) { posted_.push_back(std::move(piece)); }
  /// Where a piece goes.
  [[nodiscard]] Block slot_of(const MessagePiece& piece) const;

 private:
  Process fetch_landed();
  void begin_to_receive();
  /// Starts to read what a piece in HBM is added to.
  void ask_for_operand(const Block& block, ValueStore* store);
  /// Starts to write a piece, added to its operand if it has one, to HBM at `at`.
  void write_result(const MessagePiece& piece, const MessagePiece& operand, CargoEnd to, Picoseconds at);
  /// A piece as it goes to HBM: its values, or their sums with the operand's where there is one, at `at`.
  [[nodiscard]] std::shared_ptr<Cargo> result_of(const MessagePiece& piece, const MessagePiece& operand, CargoEnd to,
                                                 Picoseconds at) const;
  /// What a piece does to a buffer in TCM at `at`.
  void put_values(const MessagePiece& piece, Landing landing, ValueStore* to, const Block& block, Picoseconds at) const;
  [[nodiscard]] std::shared_ptr<Cargo> cargo(CargoEnd from, CargoEnd to, const Block& addressed) const;
  void give_credit();
  /// Of the message whose pieces come now.
  void expect_length(Bytes bytes) const;

  // The data's way: the memory that holds the slots has taken a packet.
  void read_arrived(const MemoryAccess& access, Flight flight) override;
  void written(const MemoryAccess& access, Picoseconds at) override;
  // The credit's way.
  void delivered(const NetworkPacket& packet, Flight flight) override;

  Calendar& calendar_;
  Network& network_;
  std::string name_;
  const MessageQueueSpec& spec_;
  Bytes burst_;
  Bytes slot_stride_;
  std::int32_t sender_;
  MessageSlots slots_;
  ValueClock* values_;
  AddValues add_;
  MessageMover mover_;
  NetworkRoute data_route_;
  Picoseconds credit_latency_;  ///< of a credit that takes no bandwidth
  Tokens credits_;

  bool receiving_ = false;
  RingBuffer<MessagePiece> posted_;
  Queue<MessagePiece> landed_;  ///< in the memory that holds the slots
  MovedPieces fetched_;         ///< from there into TCM
  MovedPieces operands_;        ///< what is added to, from HBM into TCM
  MovedPieces stored_;          ///< results, from TCM into HBM
  RingBuffer<Bytes> sent_;      ///< messages as their sender named them; their end at the receiver takes them out
  Process fetch_process_;
};

}  // namespace kernbench
