// Times and durations in whole picoseconds (ADR-0002).
#pragma once

#include <cstdint>
#include <limits>

namespace calc {

using Time = std::int64_t;  // ps
__extension__ using WideInteger = __int128;
using Bytes = std::int64_t;

constexpr Time never = std::numeric_limits<Time>::max();

// 2.2: the least number of picoseconds in which `count` bytes (cycles) are done at `per_second`.
inline Time duration(std::int64_t count, std::int64_t per_second) {
  constexpr WideInteger second = 1'000'000'000'000;
  return static_cast<Time>((count * second + per_second - 1) / per_second);
}

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace calc
