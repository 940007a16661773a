#include "benches/traces/events/decimal_time.hpp"

#include <algorithm>
#include <cstdint>

namespace kernbench::traces {
namespace {

constexpr int kDecimalsOfMicroseconds = 6;  // that a picosecond leaves
constexpr int kMostDigits = 36;             // that 127 bits hold, with one to spare
constexpr int kMostPlaces = 30;
constexpr int kMostExponent = 1'000'000;  // where longer ones stop being counted

bool is_digit(char character) { return character >= '0' && character <= '9'; }

/// A number as it is read: mantissa · 10^exponent.
struct Decimal {
  Int128 mantissa = 0;
  int digits = 0;  ///< of the mantissa, from its first that is not 0
  std::int64_t exponent = 0;
};

/// Takes the digits at the beginning of `text` in; false where there is none.
bool take_digits(std::string_view& text, Decimal& number, bool is_fraction) {
  if (text.empty() || !is_digit(text.front())) return false;
  while (!text.empty() && is_digit(text.front())) {
    if (number.digits < kMostDigits) {
      number.mantissa = number.mantissa * 10 + (text.front() - '0');
      if (number.mantissa != 0) ++number.digits;
      if (is_fraction) --number.exponent;
    } else if (!is_fraction) {
      ++number.exponent;
    }
    text.remove_prefix(1);
  }
  return true;
}

bool take(std::string_view& text, char character) {
  if (text.empty() || text.front() != character) return false;
  text.remove_prefix(1);
  return true;
}

/// The text after "e"; false where it is no exponent.
bool take_exponent(std::string_view& text, Decimal& number) {
  const bool is_negative = take(text, '-');
  if (!is_negative) take(text, '+');
  if (text.empty() || !is_digit(text.front())) return false;
  std::int64_t exponent = 0;
  while (!text.empty() && is_digit(text.front())) {
    exponent = std::min<std::int64_t>(exponent * 10 + (text.front() - '0'), kMostExponent);
    text.remove_prefix(1);
  }
  number.exponent += is_negative ? -exponent : exponent;
  return true;
}

}  // namespace

std::optional<Int128> picoseconds_from_microseconds(std::string_view digits) {
  std::string_view rest = digits;
  Decimal number;
  const bool is_negative = take(rest, '-');
  if (rest.size() > 1 && rest[0] == '0' && is_digit(rest[1])) return std::nullopt;
  if (!take_digits(rest, number, false)) return std::nullopt;
  if (take(rest, '.') && !take_digits(rest, number, true)) return std::nullopt;
  if ((take(rest, 'e') || take(rest, 'E')) && !take_exponent(rest, number)) return std::nullopt;
  if (!rest.empty()) return std::nullopt;
  if (number.mantissa == 0) return Int128{0};
  std::int64_t shift = number.exponent + kDecimalsOfMicroseconds;
  if (number.digits + shift > kMostPlaces) return std::nullopt;
  if (number.digits + shift < 0) return Int128{0};
  Int128 value = number.mantissa;
  for (; shift > 0; --shift) value *= 10;
  for (; shift < -1; ++shift) value /= 10;
  if (shift == -1) value = (value + 5) / 10;
  return is_negative ? -value : value;
}

}  // namespace kernbench::traces
