// What the algorithms write their closed forms with (18.7).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "sim/base/units.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

/// A range as the messages that carry it.
struct Messages {
  std::int64_t count = 0;  ///< 1 or more
  Picoseconds each;        ///< a port is busy for a whole chunk
  Picoseconds last;
  Picoseconds alpha;

  Messages(std::int64_t elements, const CollectiveRequest& request, const AlphaBeta& cost) : alpha(cost.alpha) {
    const std::int64_t chunk = request.chunk > 0 ? std::min(request.chunk, elements) : elements;
    count = std::max<std::int64_t>(1, chunk > 0 ? ceil_div(elements, chunk) : 1);
    each = cost.wire(chunk);
    last = cost.wire(elements - (count - 1) * chunk);
  }
  [[nodiscard]] bool equal() const { return each == last; }
  /// A port is busy for all of them.
  [[nodiscard]] Picoseconds all() const { return (count - 1) * each + last; }
  /// From the first one's start to the last one's end, where one rank sends and another takes.
  [[nodiscard]] Picoseconds hop() const { return alpha + all(); }
};

/// Every rank sends in every round and takes as much, and passes on in the next round each message that it took. Equal
/// messages.
[[nodiscard]] inline Picoseconds forwarded_rounds(std::int64_t rounds, const Messages& messages) {
  const Picoseconds round = std::max(messages.alpha + messages.each, messages.count * messages.each);
  return (rounds - 1) * round + messages.hop();
}

/// A line of ranks, each of which passes on what it takes.
[[nodiscard]] inline Picoseconds chain(std::int64_t hops, const Messages& messages) {
  return (hops - 1) * (messages.alpha + messages.each) + messages.hop();
}

[[nodiscard]] constexpr bool power_of_two(std::int32_t n) { return std::has_single_bit(static_cast<std::uint32_t>(n)); }
[[nodiscard]] constexpr std::int64_t log2_of(std::int32_t n) {
  return std::bit_width(static_cast<std::uint32_t>(n)) - 1;
}

/// Sum of the hops with 1, 2, 4, ..., ranks / 2 blocks of `block` elements: one way of halving or doubling.
[[nodiscard]] inline Picoseconds doubling_hops(std::int64_t block, const CollectiveRequest& request,
                                               const AlphaBeta& cost) {
  Picoseconds sum;
  for (std::int64_t blocks = 1; blocks < request.grid.size(); blocks *= 2) {
    sum += Messages(blocks * block, request, cost).hop();
  }
  return sum;
}

}  // namespace kernbench
