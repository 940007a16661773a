// Exact reading and writing of quantities. The units and the usual slips live in tables; the arithmetic is decimal.
#include "sim/base/quantity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kKibi = 1024;
constexpr std::int64_t kMillionths = 1'000'000;  // in a ratio of 1

constexpr std::array kTimeUnits{Unit{"ps", 1}, Unit{"ns", 1'000}, Unit{"us", 1'000'000}};
constexpr std::array kBandwidthUnits{Unit{"B/s", 1}, Unit{"kB/s", 1'000}, Unit{"MB/s", 1'000'000},
                                     Unit{"GB/s", 1'000'000'000}, Unit{"TB/s", 1'000'000'000'000}};
constexpr std::array kFrequencyUnits{Unit{"Hz", 1}, Unit{"kHz", 1'000}, Unit{"MHz", 1'000'000},
                                     Unit{"GHz", 1'000'000'000}};
constexpr std::array kByteUnits{Unit{"B", 1}, Unit{"KiB", kKibi}, Unit{"MiB", kKibi* kKibi},
                                Unit{"GiB", kKibi* kKibi* kKibi}, Unit{"TiB", kKibi* kKibi* kKibi* kKibi}};
constexpr std::array kLengthUnits{Unit{"um", 1}, Unit{"mm", 1'000}};
constexpr std::array kDelayPerLengthUnits{Unit{"ps/mm", 1}, Unit{"ns/mm", 1'000}};

constexpr std::array kEnergyUnits{Unit{"fJ", 1}, Unit{"pJ", 1'000}, Unit{"nJ", 1'000'000}};
constexpr std::array kEnergyPerByteUnits{Unit{"fJ/B", 1}, Unit{"pJ/B", 1'000}, Unit{"nJ/B", 1'000'000}};
constexpr std::array kPowerUnits{Unit{"mW", 1}, Unit{"W", 1'000}};

struct Wording {
  std::string_view example;
  std::string_view base_units;
};

Wording wording_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kTime:
      return {"a time such as 4 ns", "picoseconds"};
    case Dimension::kBandwidth:
      return {"a bandwidth such as 256 GB/s", "bytes per second"};
    case Dimension::kFrequency:
      return {"a frequency such as 1 GHz", "hertz"};
    case Dimension::kBytes:
      return {"a size such as 16 MiB", "bytes"};
    case Dimension::kLength:
      return {"a length such as 2 mm", "micrometres"};
    case Dimension::kDelayPerLength:
      return {"a delay per length such as 0.01 ns/mm", "picoseconds per millimetre"};
    case Dimension::kEnergy:
      return {"an energy such as 0.6 pJ", "femtojoules"};
    case Dimension::kEnergyPerByte:
      return {"an energy per byte such as 31.8 pJ/B", "femtojoules per byte"};
    case Dimension::kPower:
      return {"a power such as 1.5 W", "milliwatts"};
    case Dimension::kPrice:
    case Dimension::kRatio:
      return {"a number such as 0.5", "millionths"};
    case Dimension::kCount:
      break;
  }
  return {"a whole number such as 8", ""};
}

/// Units that people write and that mean something else here, with the remedy.
struct Slip {
  Dimension dimension;
  std::string_view written;
  std::string_view remedy;
};
constexpr std::array kSlips{
    Slip{Dimension::kBytes, "kB", "sizes are powers of 1024; did you mean 'KiB'?"},
    Slip{Dimension::kBytes, "KB", "sizes are powers of 1024; did you mean 'KiB'?"},
    Slip{Dimension::kBytes, "MB", "sizes are powers of 1024; did you mean 'MiB'?"},
    Slip{Dimension::kBytes, "GB", "sizes are powers of 1024; did you mean 'GiB'?"},
    Slip{Dimension::kBytes, "TB", "sizes are powers of 1024; did you mean 'TiB'?"},
    Slip{Dimension::kBandwidth, "KiB/s", "bandwidths are powers of 1000; did you mean 'kB/s'?"},
    Slip{Dimension::kBandwidth, "MiB/s", "bandwidths are powers of 1000; did you mean 'MB/s'?"},
    Slip{Dimension::kBandwidth, "GiB/s", "bandwidths are powers of 1000; did you mean 'GB/s'?"},
    Slip{Dimension::kBandwidth, "TiB/s", "bandwidths are powers of 1000; did you mean 'TB/s'?"},
    Slip{Dimension::kBandwidth, "Mb/s", "8 Mb/s are 1 MB/s; did you mean 'MB/s'?"},
    Slip{Dimension::kBandwidth, "Gb/s", "8 Gb/s are 1 GB/s; did you mean 'GB/s'?"},
    Slip{Dimension::kBandwidth, "Gbps", "8 Gbps are 1 GB/s; did you mean 'GB/s'?"},
    Slip{Dimension::kBandwidth, "Tb/s", "8 Tb/s are 1 TB/s; did you mean 'TB/s'?"},
    Slip{Dimension::kBandwidth, "GBps", "did you mean 'GB/s'?"},
    Slip{Dimension::kTime, "ms", "1 ms is 1000 us; did you mean 'us'?"},
    Slip{Dimension::kTime, "s", "1 s is 1000000 us; did you mean 'us'?"},
    Slip{Dimension::kTime, "µs", "did you mean 'us'?"},
    Slip{Dimension::kEnergy, "J", "1 J is 1000000000 nJ; did you mean 'nJ'?"},
    Slip{Dimension::kEnergyPerByte, "fJ/bit", "1 fJ/bit is 8 fJ/B; did you mean 'fJ/B'?"},
    Slip{Dimension::kEnergyPerByte, "pJ/bit", "1 pJ/bit is 8 pJ/B; did you mean 'pJ/B'?"},
    Slip{Dimension::kEnergyPerByte, "pJ/b", "1 pJ/bit is 8 pJ/B; did you mean 'pJ/B'?"},
    Slip{Dimension::kEnergyPerByte, "pJ", "of a byte: did you mean 'pJ/B'?"},
    Slip{Dimension::kPower, "kW", "1 kW is 1000 W; did you mean 'W'?"},
    Slip{Dimension::kLength, "µm", "did you mean 'um'?"},
    Slip{Dimension::kLength, "cm", "1 cm is 10 mm; did you mean 'mm'?"},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char to_lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::string_view take_digits(std::string_view& text) {
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

[[noreturn]] void refuse(std::string_view expected, std::string_view text, std::string_view after = "") {
  throw ConfigError("expected " + std::string(expected) + ", got '" + std::string(text) + "'" + std::string(after));
}

std::string unit_list(Dimension dimension) {
  const auto units = units_of(dimension);
  std::string list;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i != 0) list += i + 1 == units.size() ? " or " : ", ";
    list += units[i].name;
  }
  return list;
}

[[noreturn]] void refuse_unit(std::string_view text, std::string_view unit, Dimension dimension) {
  std::string remedy;
  for (const auto& slip : kSlips) {
    if (slip.dimension == dimension && slip.written == unit) remedy = "; " + std::string(slip.remedy);
  }
  for (const auto& known : units_of(dimension)) {
    if (remedy.empty() && equal_ignoring_case(known.name, unit)) {
      remedy = "; did you mean '" + std::string(known.name) + "'?";
    }
  }
  refuse(std::string(example_of(dimension)) + " (in " + unit_list(dimension) + ")", text, remedy);
}

std::int64_t factor_without_unit(Dimension dimension) {
  return dimension == Dimension::kRatio || dimension == Dimension::kPrice ? kMillionths : 1;
}

/// whole x factor, or nothing where 63 bits do not hold it.
std::optional<std::int64_t> scaled_whole(std::string_view digits, std::int64_t factor) {
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, std::int64_t{digit - '0'}, &value)) return std::nullopt;
  }
  if (__builtin_mul_overflow(value, factor, &value)) return std::nullopt;
  return value;
}

/// 0.digits x factor by long multiplication, last digit first; nothing where the product has a fraction.
std::optional<std::int64_t> scaled_fraction(std::string_view digits, std::int64_t factor) {
  std::int64_t carry = 0;
  for (; !digits.empty(); digits.remove_suffix(1)) {
    carry += (digits.back() - '0') * factor;
    if (carry % 10 != 0) return std::nullopt;
    carry /= 10;
  }
  return carry;
}

}  // namespace

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kTime:
      return kTimeUnits;
    case Dimension::kBandwidth:
      return kBandwidthUnits;
    case Dimension::kFrequency:
      return kFrequencyUnits;
    case Dimension::kBytes:
      return kByteUnits;
    case Dimension::kLength:
      return kLengthUnits;
    case Dimension::kDelayPerLength:
      return kDelayPerLengthUnits;
    case Dimension::kEnergy:
      return kEnergyUnits;
    case Dimension::kEnergyPerByte:
      return kEnergyPerByteUnits;
    case Dimension::kPower:
      return kPowerUnits;
    case Dimension::kPrice:
    case Dimension::kRatio:
    case Dimension::kCount:
      break;
  }
  return {};
}

std::string_view example_of(Dimension dimension) { return wording_of(dimension).example; }

std::int64_t parse_quantity(std::string_view text, Dimension dimension) {
  const auto written = trimmed(text);
  const auto wording = wording_of(dimension);
  auto rest = written;
  if (rest.empty()) throw ConfigError("expected " + std::string(wording.example) + ", got nothing");
  if (rest.front() == '-') refuse(std::string(wording.example) + ", not negative", written);
  const auto whole = take_digits(rest);
  std::string_view fraction;
  if (!whole.empty() && rest.size() > 1 && rest[0] == '.' && is_digit(rest[1])) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  const auto unit = trimmed(rest);
  // A unit begins with a letter; anything else ("1e3", "1,5", ".5") is not a number as we write them. (µ is not ASCII.)
  const bool unit_like =
      unit.empty() || std::isalpha(static_cast<unsigned char>(unit[0])) != 0 || (unit[0] & 0x80) != 0;
  if (whole.empty() || !unit_like) refuse(wording.example, written);

  const auto units = units_of(dimension);
  std::int64_t factor = 1;
  if (units.empty()) {
    factor = factor_without_unit(dimension);
    if (!unit.empty()) refuse(wording.example, written, ", which has a unit");
  } else {
    if (unit.empty()) refuse(wording.example, written, " without a unit (" + unit_list(dimension) + ")");
    const auto known = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit; });
    if (known == units.end()) refuse_unit(written, unit, dimension);
    factor = known->factor;
  }

  const auto significant = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  const auto fraction_value = scaled_fraction(significant, factor);
  if (!fraction_value) {
    refuse(dimension == Dimension::kCount ? std::string(wording.example)
                                          : "a whole number of " + std::string(wording.base_units),
           written);
  }
  auto value = scaled_whole(whole, factor);
  if (!value || __builtin_add_overflow(*value, *fraction_value, &*value)) {
    refuse(wording.example, written, ", which is too large");
  }
  return *value;
}

std::string format_quantity(std::int64_t value, Dimension dimension) {
  const auto units = units_of(dimension);
  const bool binary = dimension == Dimension::kBytes;
  auto unit = units.empty() ? Unit{"", factor_without_unit(dimension)} : units.front();
  for (const auto& larger : units) {
    // A binary fraction has many decimals, so a size moves up only by whole units.
    if (value >= larger.factor && (!binary || value % larger.factor == 0)) unit = larger;
  }
  std::string text = std::to_string(value / unit.factor);
  auto remainder = value % unit.factor;
  if (remainder != 0) text += '.';
  for (auto place = unit.factor / 10; remainder != 0; place /= 10) {
    text += static_cast<char>('0' + remainder / place);
    remainder %= place;
  }
  return unit.name.empty() ? text : text + ' ' + std::string(unit.name);
}

}  // namespace kernbench
