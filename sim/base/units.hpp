// Units of the simulation: integer picoseconds, bytes, bandwidth, clock. No double ever holds a time.
#pragma once

#include <compare>
#include <cstdint>

#include "sim/base/checked.hpp"

namespace kernbench {

using Bytes = std::int64_t;
using Cycles = std::int64_t;

inline constexpr Bytes kElementBytes = 2;  ///< of operands, results and messages: bf16

/// A point in simulated time, or a duration: an integer number of picoseconds. What 63 bits do not hold throws
/// OverflowError.
struct Picoseconds {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Picoseconds&) const = default;
  constexpr Picoseconds& operator+=(Picoseconds other) {
    return value = checked_add(value, other.value, "simulated time", kInPicoseconds), *this;
  }
  constexpr Picoseconds& operator-=(Picoseconds other) {
    return value = checked_subtract(value, other.value, "simulated time", kInPicoseconds), *this;
  }
  /// Nanoseconds for reports; exact to the picosecond up to 2.5 hours (2^53 ps).
  [[nodiscard]] constexpr double ns() const { return static_cast<double>(value) / 1000.0; }
};

constexpr Picoseconds operator+(Picoseconds a, Picoseconds b) { return a += b; }
constexpr Picoseconds operator-(Picoseconds a, Picoseconds b) { return a -= b; }
constexpr Picoseconds operator*(std::int64_t n, Picoseconds a) {
  return {checked_multiply(n, a.value, "simulated time", kInPicoseconds)};
}
constexpr Picoseconds from_ns(std::int64_t ns) { return ns * Picoseconds{1000}; }

inline constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

/// ceil(a * b / c) for non-negative a, b and positive c, without overflow of the product. Throws OverflowError, as of a
/// simulated time, where 63 bits do not hold the quotient.
constexpr std::int64_t ceil_mul_div(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product / c + (product % c != 0 ? 1 : 0);
  return narrow((static_cast<Int128>(a) * b + c - 1) / c, "simulated time", kInPicoseconds);
}

/// Bytes per second, exact. "256 GB/s" is 256'000'000'000.
struct Bandwidth {
  std::int64_t bytes_per_second = 0;

  constexpr auto operator<=>(const Bandwidth&) const = default;
  /// Time to move `bytes`, rounded up once to a picosecond.
  [[nodiscard]] constexpr Picoseconds time_for(Bytes bytes) const {
    return {ceil_mul_div(bytes, kPicosecondsPerSecond, bytes_per_second)};
  }
  constexpr Bandwidth& operator+=(Bandwidth other) {
    return bytes_per_second = checked_add(bytes_per_second, other.bytes_per_second, "bandwidth", "B/s"), *this;
  }
  [[nodiscard]] constexpr double gbs() const { return static_cast<double>(bytes_per_second) / 1e9; }
};

/// A clock in hertz, exact. Cycle counts convert as a whole: the period is never rounded first.
struct Clock {
  std::int64_t hertz = 0;

  constexpr auto operator<=>(const Clock&) const = default;
  /// Duration of `cycles` cycles, rounded up once to a picosecond.
  [[nodiscard]] constexpr Picoseconds time_for(Cycles cycles) const {
    return {ceil_mul_div(cycles, kPicosecondsPerSecond, hertz)};
  }
};

/// ceil(a / b) for non-negative a and positive b.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace kernbench
