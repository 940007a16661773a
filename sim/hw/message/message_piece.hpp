// A slot's worth of a message, and where data lie that are sent or received (adr/0019).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/base/ring_buffer.hpp"
#include "sim/engine/queue.hpp"
#include "sim/hw/message/scoreboard.hpp"
#include "sim/hw/pe/asker.hpp"
#include "sim/hw/pe/dma_engine.hpp"
#include "sim/hw/values/cargo.hpp"

namespace kernbench {

// The sender's DMA writer sends pieces; the receiver's reader fetches those whose slots are not in its TCM.
inline constexpr Stage kSendStage{"send", 100, 7};
inline constexpr Stage kReceiveStage{"receive", 110, 2};

/// Slots begin at bursts: the distance between two of them.
[[nodiscard]] Bytes message_slot_stride(const MachineSpec& machine);

/// The most of a message that a slot takes: as many whole elements, or groups of them, as fit (19.2). Throws
/// ConfigError where none does.
[[nodiscard]] Bytes message_piece(const MessageQueueSpec& queue, Dtype dtype);

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

/// A slot's worth of a message.
struct MessagePiece {
  Bytes bytes = 0;
  std::int64_t slot = 0;
  Completion* left = nullptr;        ///< of its message, whose last piece it is
  Scoreboard::Read* read = nullptr;  ///< of its message, until the piece has left the buffer
  std::shared_ptr<Cargo> cargo{};    ///< in runs that carry values: what is on its way, or in the slot
  Reason reason = kNoReason;         ///< in the sender's ledger, of its being sent
  Dtype dtype = Dtype::kBf16;        ///< of its elements
};

/// Pieces that an engine moves; each becomes visible in a queue when its transfer is complete.
struct MovedPieces : TransferListener {
  MovedPieces(Calendar& calendar, std::string name, Consumer consumer)
      : there(calendar, std::move(name), Phase::kNormal, consumer) {}
  void transferred(const Transfer& transfer, Picoseconds at) override;
  RingBuffer<MessagePiece> under_way;
  Queue<MessagePiece> there;
};

/// Who moves the pieces of a queue, as its engines know it.
struct MessageMover {
  std::int64_t number = 0;  ///< among the queues of the launch: decides which of two is first at one instant
  std::int64_t launch = 0;  ///< its place: decides where the numbers are the same

  void submit(DmaEngine& engine, MessageTurn turn, Transfer transfer, Picoseconds at) const;
  void move(DmaEngine& engine, MessageTurn turn, MovedPieces& moved, const MessagePiece& piece, Transfer transfer,
            Picoseconds at) const;
};

/// When a program that has waited until `now` for something that came now goes on.
[[nodiscard]] Picoseconds noticed(const MessageQueueSpec& spec, Picoseconds now);

}  // namespace kernbench
