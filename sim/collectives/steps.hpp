// What the algorithms write their schedules with.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/plan/collective/schedule.hpp"

namespace kernbench {

/// What all steps of one part of an algorithm share.
struct StepStyle {
  std::int64_t chunk = 0;  ///< CollectiveRequest::chunk
  std::uint8_t phase = 0;
  std::int16_t channel = 0;
  [[nodiscard]] StepStyle in_phase(std::uint8_t other) const { return {chunk, other, channel}; }
  [[nodiscard]] StepStyle on_channel(std::int16_t other) const { return {chunk, phase, other}; }
};

/// Calls visit(ElementRange) for each chunk of a range, from its start; all but the last are whole chunks.
template <class Visit>
void for_each_chunk(ElementRange range, std::int64_t chunk, Visit&& visit) {
  const std::int64_t most = chunk > 0 ? chunk : range.count;
  for (std::int64_t done = 0; done < range.count; done += most) {
    visit(ElementRange{range.first + done, std::min(most, range.count - done)});
  }
}

/// The first (0) or second (1) half of a range; the first is the longer one.
[[nodiscard]] constexpr ElementRange half_of(ElementRange range, int half) {
  const ElementRange part = balanced_block(range.count, 2, half);
  return {range.first + part.first, part.count};
}

/// Blocks [first, last) of `blocks` balanced blocks of [0, count), as one range.
[[nodiscard]] constexpr ElementRange joined_blocks(std::int64_t count, std::int64_t blocks, std::int64_t first,
                                                   std::int64_t last) {
  const std::int64_t from = balanced_block(count, blocks, first).first;
  return {from, balanced_block(count, blocks, last).first - from};
}

/// One step of a range that is one message, without looking at the chunk. Nothing for an empty range.
inline void add_step(CollectiveThread& thread, StepKind kind, std::int32_t peer, ElementRange range,
                     const StepStyle& style) {
  if (range.count > 0) thread.push_back({kind, style.phase, style.channel, peer, range.first, range.count, 0});
}

/// One step for each chunk of a range.
inline void add_steps(CollectiveThread& thread, StepKind kind, std::int32_t peer, ElementRange range,
                      const StepStyle& style) {
  for_each_chunk(range, style.chunk, [&](ElementRange chunk) { add_step(thread, kind, peer, chunk, style); });
}

/// Replaces `to` by the rank's own elements from `from` on.
inline void add_copy(CollectiveThread& thread, ElementRange to, std::int64_t from, const StepStyle& style) {
  if (to.count > 0) thread.push_back({StepKind::kCopy, style.phase, style.channel, -1, to.first, to.count, from});
}

}  // namespace kernbench
