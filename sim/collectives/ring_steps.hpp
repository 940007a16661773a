// The steps that the ring algorithms and the levels of the hierarchical one share: messages go to the next rank only.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/collectives/steps.hpp"

namespace kernbench {

/// What one rank of a ring owns: one range, or several.
using RingBlock = std::vector<ElementRange>;

/// One rank's place in a ring, and the part of the buffer that belongs to each place of it.
struct RingSeat {
  const std::vector<std::int32_t>& order;  ///< ranks, each before the one it sends to
  const std::vector<RingBlock>& blocks;    ///< by place
  std::int64_t place = 0;

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(order.size()); }
  [[nodiscard]] std::int32_t next() const { return order[wrapped(place + 1)]; }
  [[nodiscard]] std::int32_t previous() const { return order[wrapped(place - 1)]; }
  [[nodiscard]] const RingBlock& block(std::int64_t of_place) const { return blocks[wrapped(of_place)]; }

 private:
  /// For places from -2n on.
  [[nodiscard]] std::size_t wrapped(std::int64_t at) const {
    return static_cast<std::size_t>((at + 2 * size()) % size());
  }
};

/// Afterwards every rank holds its own block, reduced. The block of place p goes round from place p + 1 to p.
void add_ring_reduce_scatter(CollectiveThread& thread, const RingSeat& seat, const StepStyle& style);

/// Afterwards every rank holds all blocks; before, its own.
void add_ring_all_gather(CollectiveThread& thread, const RingSeat& seat, const StepStyle& style);

/// Both, one after the other: each chunk of the own block goes on as soon as it is reduced.
void add_ring_all_reduce(CollectiveThread& thread, const RingSeat& seat, const StepStyle& reduce,
                         const StepStyle& gather);

/// The blocks of the ranks in `order` of a collective of `count` elements.
[[nodiscard]] std::vector<RingBlock> rank_blocks(std::int64_t count, const std::vector<std::int32_t>& order);

/// A thread for each rank of the collective. Of its data, `whole` is what a broadcast or reduce of this ring moves, and
/// `blocks`, by place in `order`, what the others do. The second half of an all_reduce is phase 1.
void add_ring(CollectiveSchedule& schedule, const std::vector<std::int32_t>& order,
              const std::vector<RingBlock>& blocks, ElementRange whole, const StepStyle& style);

}  // namespace kernbench
