// What the algorithms that halve and double need: ranks paired off until a power of two is left, and blocks for them.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/collectives/steps.hpp"

namespace kernbench {

/// n ranks as a power of two of seats. The first n - seats() pairs of ranks (0 and 1, 2 and 3, ...) share a seat: the
/// even one sits, the odd one, its guest, gives it its data first and gets the result last. `shift` is added to every
/// rank, modulo n, so that any rank can have seat 0.
class SeatedRanks {
 public:
  SeatedRanks(std::int32_t ranks, std::int32_t shift) : ranks_(ranks), shift_(shift) {}

  [[nodiscard]] std::int32_t seats() const {
    return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(ranks_)));
  }
  [[nodiscard]] std::int32_t pairs() const { return ranks_ - seats(); }
  [[nodiscard]] bool has_guest(std::int32_t seat) const { return seat < pairs(); }
  [[nodiscard]] std::int32_t sitting(std::int32_t seat) const { return shifted(first_of(seat)); }
  [[nodiscard]] std::int32_t guest(std::int32_t seat) const { return shifted(first_of(seat) + 1); }
  /// The first rank of a seat, before the shift; the ranks of a seat end where those of the next begin.
  [[nodiscard]] std::int32_t first_of(std::int32_t seat) const { return seat + std::min(seat, pairs()); }

 private:
  [[nodiscard]] std::int32_t shifted(std::int32_t rank) const { return (rank + shift_) % ranks_; }

  std::int32_t ranks_;
  std::int32_t shift_;
};

/// The part of the buffer that belongs to seats [first, last): balanced blocks of the seats, or the blocks of their
/// ranks.
struct SeatBlocks {
  std::int64_t count = 0;
  std::int32_t seats = 1;
  const SeatedRanks* ranks = nullptr;  ///< null: a balanced block for each seat
  std::int32_t rank_count = 1;
  [[nodiscard]] ElementRange of(std::int32_t first, std::int32_t last) const {
    if (ranks == nullptr) return joined_blocks(count, seats, first, last);
    return joined_blocks(count, rank_count, ranks->first_of(first), ranks->first_of(last));
  }
};

/// Doubles what a seat holds until it holds all: blocks of 1, 2, 4, ... seats are exchanged with the seat as far away.
inline void add_doubling_all_gather(CollectiveThread& thread, std::int32_t seat, const SeatedRanks& ranks,
                                    const SeatBlocks& blocks, const StepStyle& style) {
  for (std::int32_t far = 1; far < ranks.seats(); far *= 2) {
    const std::int32_t mine = seat - seat % far;
    const std::int32_t theirs = mine ^ far;
    const std::int32_t peer = ranks.sitting(seat ^ far);
    add_steps(thread, StepKind::kSend, peer, blocks.of(mine, mine + far), style);
    add_steps(thread, StepKind::kReceive, peer, blocks.of(theirs, theirs + far), style);
  }
}

/// Halves what a seat is to reduce until its own block is left, with the farthest seat first.
inline void add_halving_reduce_scatter(CollectiveThread& thread, std::int32_t seat, const SeatedRanks& ranks,
                                       const SeatBlocks& blocks, const StepStyle& style) {
  for (std::int32_t far = ranks.seats() / 2; far > 0; far /= 2) {
    const std::int32_t mine = seat - seat % far;
    const std::int32_t theirs = mine ^ far;
    const std::int32_t peer = ranks.sitting(seat ^ far);
    add_steps(thread, StepKind::kSend, peer, blocks.of(theirs, theirs + far), style);
    add_steps(thread, StepKind::kReduce, peer, blocks.of(mine, mine + far), style);
  }
}

}  // namespace kernbench
