// What devices do with their memories to carry out a distributed GEMM: commands on queues, and who waits for whom.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/plan/distributed_gemm/distributed_matrix.hpp"

namespace kernbench {

enum class BufferKind : std::uint8_t {
  kA,         ///< the device's tile of A
  kB,         ///< the device's tile of B
  kC,         ///< the device's tile of C
  kFetchedA,  ///< a part of another device's tile of A
  kFetchedB,
  kGatheredA,  ///< what the device multiplies of A, written part by part
  kGatheredB,
  kPartial,  ///< a product for another device's tile of C
  kStaged,   ///< another device's product, to be added to the tile of C here
};

/// Of a matrix, there all the time; else of what is fetched, sent or staged.
[[nodiscard]] constexpr bool is_tile(BufferKind kind) {
  return kind == BufferKind::kA || kind == BufferKind::kB || kind == BufferKind::kC;
}

/// Holds one part of a matrix throughout, which several commands write.
[[nodiscard]] constexpr bool is_gathered(BufferKind kind) {
  return kind == BufferKind::kGatheredA || kind == BufferKind::kGatheredB;
}

/// A memory of a device. `slot` tells several of a kind apart; 0 for tiles.
struct BufferId {
  int device = 0;
  BufferKind kind = BufferKind::kA;
  int slot = 0;
  constexpr auto operator<=>(const BufferId&) const = default;
};

/// Part of a buffer, in the buffer's own rows and columns.
struct BufferPart {
  BufferId buffer;
  Rect rect;
};

enum class CommandKind : std::uint8_t {
  kZero,      ///< out = 0
  kMultiply,  ///< out (+)= in * second
  kCopy,      ///< out = in, from another device, to one, or within one
  kAdd,       ///< out += in
};

/// Each device has one of each: what is on one queue happens in order.
enum class QueueKind : std::uint8_t { kCompute, kFetch, kSend, kAccumulate };

struct Command {
  CommandKind kind = CommandKind::kZero;
  int device = 0;  ///< whose queue it is on
  QueueKind queue = QueueKind::kCompute;
  BufferPart out{};
  BufferPart in{};
  BufferPart second{};       ///< B, of kMultiply
  bool accumulate = false;   ///< of kMultiply
  std::vector<int> waits{};  ///< earlier commands, of other queues, that must have ended: index in the list
};

/// Rows and columns that a buffer must have.
struct BufferShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// Commands in an order in which they may be carried out one after the other. Whatever order queues and waits leave
/// open gives the same result: a command waits for each earlier one that wrote what it touches or read what it writes.
class CommandList {
 public:
  /// Appends a command; it waits for those that it names already and for what follows from what it touches.
  void append(Command command);

  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }
  /// Every buffer that a command touches, with the rows and columns that are touched at most.
  [[nodiscard]] const std::map<BufferId, BufferShape>& buffers() const { return buffers_; }

 private:
  struct Access {
    int command = 0;
    Rect rect;
    bool write = false;
  };
  void touch(const BufferPart& place, bool write, Command& command);

  std::vector<Command> commands_;
  std::map<BufferId, BufferShape> buffers_;
  std::map<BufferId, std::vector<Access>> accesses_;
};

}  // namespace kernbench
