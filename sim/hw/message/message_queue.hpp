// A message queue from one PE to another: a ring of slots at the receiver, credits at the sender (adr/0019).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/ring_buffer.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"
#include "sim/engine/tokens.hpp"
#include "sim/hw/message/scoreboard.hpp"
#include "sim/hw/noc/network_route.hpp"
#include "sim/hw/pe/asker.hpp"
#include "sim/hw/pe/pe.hpp"

namespace kernbench {

// The sender's DMA writer sends pieces; the receiver's reader fetches those whose slots are not in its TCM.
inline constexpr Stage kSendStage{"send", 100, 7};
inline constexpr Stage kReceiveStage{"receive", 110, 2};

/// Slots begin at bursts: the distance between two of them.
[[nodiscard]] Bytes message_slot_stride(const MachineSpec& machine);

/// The most of a message that a slot takes: as many whole elements as fit (19.2).
[[nodiscard]] Bytes message_piece(const MessageQueueSpec& queue, Dtype dtype);

/// One end of a queue: a PE and where it hangs off the network.
struct MessageEnd {
  Pe& pe;
  std::int32_t node = 0;  ///< of the network's plan
};

/// Where data lie that are sent or received: in TCM, or in the PE's own HBM partition, at an address.
struct MessagePlace {
  bool in_hbm = false;
  Address address = 0;
  ValueStore* store = nullptr;       ///< in runs that carry values: of that memory
  Scoreboard* scoreboard = nullptr;  ///< null: the program itself waits before it overwrites what it sends
  Dtype dtype = Dtype::kBf16;        ///< of the elements

  /// `bytes` of them, from `begin` bytes on.
  [[nodiscard]] Block piece(Bytes begin, Bytes bytes) const {
    return {address + begin, 1, bytes, bytes, kOwnPartition, dtype};
  }
};

/// Who goes first where several transfers are submitted to an engine for one instant (19.12): of one kind the lower
/// number, of one number the earlier launch; 2^39 numbers, 2^16 launches.
enum class MessageTurn : std::uint8_t { kOperand = 1, kFetch = 2, kLoad = 3, kResult = 4, kPost = 5 };
[[nodiscard]] constexpr std::int64_t turn_of(MessageTurn turn, std::int64_t number, std::int64_t launch) {
  return (static_cast<std::int64_t>(turn) << 55U) + (number << Asker::kLaunchBits) + launch;
}

/// How a receiver's values change: a sum is exact, or rounded to a dtype, such as that of the elements.
using AddValues = float (*)(float held, float received, Dtype dtype);

class MessageQueue : private MemoryClient, private PacketSink {
 public:
  struct Context {
    Calendar& calendar;
    Network& network;
    const MachineSpec& machine;
    MessageEnd sender;
    MessageEnd receiver;
    std::int32_t slot_node = 0;  ///< of the memory that holds the slots
    MemoryPort& slot_memory;
    MemoryRoute* fetch = nullptr;  ///< receiver's route to the slots; null where they lie in its TCM
    ValueClock* values = nullptr;  ///< null: no values are carried
    AddValues add = nullptr;       ///< what Landing::kAdd does to them
    Address slots_address = 0;     ///< in that memory
    std::int64_t number = 0;       ///< among the queues of the launch: decides which of two is first at one instant
    std::int64_t launch = 0;       ///< its place: decides where the numbers are the same
    std::string name;
  };

  explicit MessageQueue(const Context& context);
  ~MessageQueue() override = default;

  /// Starts to send `bytes` (not 0) now; returns at once. Values are read when the DMA engine reads them. `left`, if
  /// any, is complete when the last of them has left the TCM.
  /// `reason`: in the sender's ledger, of the call.
  void send(Bytes bytes, const MessagePlace& from, Completion* left = nullptr, Reason reason = kNoReason);

  enum class Landing { kReplace, kAdd };
  /// Takes the next message, of `bytes`, out of its slots as they come, for a thread of the receiver's program; done
  /// when the result can be used. Returns the time. Throws SimulationError where the next message has another length.
  Task<Picoseconds> receive(Bytes bytes, Landing landing, MessagePlace to, std::int64_t thread);

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
  /// A slot's worth of a message.
  struct Piece {
    Bytes bytes = 0;
    std::int64_t slot = 0;
    Completion* left = nullptr;        ///< of its message, whose last piece it is
    Scoreboard::Read* read = nullptr;  ///< of its message, until the piece has left the buffer
    std::shared_ptr<Cargo> cargo{};    ///< in runs that carry values: what is on its way, or in the slot
    Reason reason = kNoReason;         ///< in the sender's ledger, of its being sent
    Dtype dtype = Dtype::kBf16;        ///< of its elements
  };
  /// Pieces that an engine moves; each becomes visible in a queue when its transfer is complete.
  struct Moved : TransferListener {
    Moved(Calendar& calendar, std::string name, Consumer consumer)
        : there(calendar, std::move(name), Phase::kNormal, consumer) {}
    void transferred(const Transfer& transfer, Picoseconds at) override;
    RingBuffer<Piece> under_way;
    Queue<Piece> there;
  };

  Process send_messages();
  Process post_loaded();
  Process fetch_landed();

  /// `reads`: of what leaves the TCM now.
  void post(Piece piece, std::shared_ptr<Cargo> reads);
  [[nodiscard]] std::shared_ptr<Cargo> cargo(CargoEnd from, CargoEnd to, const Block& addressed) const;
  /// A piece as it goes to HBM: its values, or their sums with the operand's where there is one, at `at`.
  [[nodiscard]] std::shared_ptr<Cargo> result_of(const Piece& piece, const Piece& operand, CargoEnd to,
                                                 Picoseconds at) const;
  void begin_to_receive();
  /// Starts to read what a piece in HBM is added to.
  void ask_for_operand(const Block& block, ValueStore* store);
  /// Starts to write a piece, added to its operand if it has one, to HBM at `at`.
  void write_result(const Piece& piece, const Piece& operand, CargoEnd to, Picoseconds at);
  /// What a piece does to a buffer in TCM at `at`.
  void put_values(const Piece& piece, Landing landing, ValueStore* to, const Block& block, Picoseconds at) const;
  void submit(DmaEngine& engine, MessageTurn turn, Transfer transfer, Picoseconds at) const;
  void move(DmaEngine& engine, MessageTurn turn, Moved& moved, const Piece& piece, Transfer transfer, Picoseconds at);
  [[nodiscard]] Block slot_block(const Piece& piece) const;
  /// When somebody who has waited until now for something that came now goes on.
  [[nodiscard]] Picoseconds noticed() const;
  void give_credit();

  // The data's way: the memory that holds the slots has taken a packet.
  void read_arrived(const MemoryAccess& access, Flight flight) override;
  void written(const MemoryAccess& access, Picoseconds at) override;
  // The credit's way.
  void delivered(const NetworkPacket& packet, Flight flight) override;

  /// Of the message whose pieces come now.
  void expect_length(Bytes bytes) const;

  Calendar& calendar_;
  std::string name_;
  Network& network_;
  const MessageQueueSpec& spec_;
  Bytes burst_;
  Bytes slot_stride_;
  MessageEnd sender_;
  MessageEnd receiver_;
  NetworkRoute data_route_;
  MemoryRoute* fetch_route_;
  Address slots_address_;
  std::int64_t number_;
  std::int64_t launch_;
  ValueClock* values_;
  AddValues add_;
  Picoseconds credit_latency_;  ///< of a credit that takes no bandwidth

  // At the sender.
  Queue<Message> messages_;
  Tokens credits_;
  std::int64_t next_slot_ = 0;
  std::int64_t named_slot_ = 0;  ///< of pieces whose values wait to be read
  Moved loaded_;                 ///< from HBM into TCM, to be posted

  // At the receiver.
  bool receiving_ = false;
  RingBuffer<Piece> posted_;
  Queue<Piece> landed_;     ///< in the memory that holds the slots
  Moved fetched_;           ///< from there into TCM
  Moved operands_;          ///< what is added to, from HBM into TCM
  Moved stored_;            ///< results, from TCM into HBM
  RingBuffer<Bytes> sent_;  ///< messages as their sender named them; their end at the receiver takes them out

  Process send_process_;
  Process post_process_;
  Process fetch_process_;
};

}  // namespace kernbench
