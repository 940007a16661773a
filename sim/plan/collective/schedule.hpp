// A collective as data: what every rank sends, receives, reduces and copies, in which order (adr/0018). No SystemC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernbench {

enum class Collective : std::uint8_t { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kAllToAll, kReduce };

enum class StepKind : std::uint8_t {
  kSend,     ///< what is in the range now goes to the peer; the thread goes on at once
  kReceive,  ///< the peer's next message replaces the range; the thread goes on when all of it is there
  kReduce,   ///< the peer's next message is added to the range
  kCopy      ///< [from, from + count) of the same rank replaces the range
};

/// One step of one thread of one rank, on elements [first, first + count) of the rank's buffer. count is never 0.
struct CollectiveStep {
  StepKind kind = StepKind::kSend;
  std::uint8_t phase = 0;    ///< index into CollectiveSchedule::phases
  std::int16_t channel = 0;  ///< messages of one (sender, receiver, channel) are received in the order of sending
  std::int32_t peer = -1;    ///< rank
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t from = 0;  ///< kCopy only
};

/// Threads of a rank run side by side, steps of a thread one after the other.
using CollectiveThread = std::vector<CollectiveStep>;

/// Every rank has one buffer of `elements` elements. With `count` the size of the collective in elements:
/// all_reduce, broadcast, reduce: elements = count, in place. reduce_scatter, all_gather: elements = count, block r of
/// `block(r)` belongs to rank r. all_to_all: elements = 2 x count, input first, then output; block j of rank i's input
/// becomes block i of rank j's output. An algorithm that sends a copy of an input that it works on in place has
/// elements = 2 x count: what is said above first, then the copy.
struct CollectiveSchedule {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;
  std::int64_t count = 0;
  std::int64_t elements = 0;
  std::int32_t root = 0;                             ///< broadcast, reduce
  std::vector<std::vector<CollectiveThread>> ranks;  ///< threads of each rank
  std::vector<std::string> phases = {"all"};

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(ranks.size()); }
};

/// Elements [first, first + count).
struct ElementRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Block `index` of `blocks` balanced blocks of [0, count): the first count mod blocks have one element more.
[[nodiscard]] constexpr ElementRange balanced_block(std::int64_t count, std::int64_t blocks, std::int64_t index) {
  const std::int64_t least = count / blocks;
  const std::int64_t longer = count % blocks;
  return {index * least + (index < longer ? index : longer), least + (index < longer ? 1 : 0)};
}

}  // namespace kernbench
