// Checked arithmetic: what 63 bits do not hold ends in an error that names it, never in a wrong number (ADR-0002).
#pragma once

#include <cstdint>
#include <string_view>

namespace kernbench {

__extension__ using Int128 = __int128;

/// Units of counted things, as overflow messages name them.
inline constexpr std::string_view kInPicoseconds = "ps (106 days)";
inline constexpr std::string_view kInBytes = "bytes";
inline constexpr std::string_view kInMacs = "MACs";
inline constexpr std::string_view kInCycles = "cycles";

/// Throws OverflowError: "WHAT beyond 2^63 - 1 UNIT, ...". Out of line: callers keep nothing of it in their hot path.
[[noreturn, gnu::cold, gnu::noinline]] void throw_overflow(std::string_view what, std::string_view unit);

[[nodiscard]] constexpr std::int64_t checked_add(std::int64_t a, std::int64_t b, std::string_view what,
                                                 std::string_view unit) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) [[unlikely]]
    throw_overflow(what, unit);
  return sum;
}

[[nodiscard]] constexpr std::int64_t checked_subtract(std::int64_t a, std::int64_t b, std::string_view what,
                                                      std::string_view unit) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) [[unlikely]]
    throw_overflow(what, unit);
  return difference;
}

[[nodiscard]] constexpr std::int64_t checked_multiply(std::int64_t a, std::int64_t b, std::string_view what,
                                                      std::string_view unit) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    throw_overflow(what, unit);
  return product;
}

/// a x b of what is not negative, or the most that 64 bits hold: to be compared with a limit below that.
[[nodiscard]] constexpr std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/// `value` in 64 bits, where they hold it.
[[nodiscard]] constexpr std::int64_t narrow(Int128 value, std::string_view what, std::string_view unit) {
  const auto narrowed = static_cast<std::int64_t>(value);
  if (narrowed != value) [[unlikely]]
    throw_overflow(what, unit);
  return narrowed;
}

/// A sum that may pass 63 bits before anybody reads it: adding never fails and costs no branch, reading does.
class WideSum {
 public:
  constexpr WideSum& operator+=(std::int64_t addend) { return value_ += addend, *this; }
  /// What it has grown by since it was `before`, so many times more.
  constexpr void repeat(const WideSum& before, std::int64_t times) { value_ += times * (value_ - before.value_); }
  [[nodiscard]] constexpr double as_double() const { return static_cast<double>(value_); }
  [[nodiscard]] constexpr std::int64_t get(std::string_view what, std::string_view unit) const {
    return narrow(value_, what, unit);
  }

 private:
  Int128 value_ = 0;
};

}  // namespace kernbench
