// Quantities are read exactly, to the last base unit, or refused.
#include "sim/base/quantity.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <limits>

#include "sim/base/errors.hpp"

using namespace kernbench;

namespace {

constexpr std::array kDimensions{Dimension::kTime,   Dimension::kBandwidth,     Dimension::kFrequency,
                                 Dimension::kBytes,  Dimension::kLength,        Dimension::kDelayPerLength,
                                 Dimension::kEnergy, Dimension::kEnergyPerByte, Dimension::kPower,
                                 Dimension::kPrice,  Dimension::kRatio,         Dimension::kCount};
constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();

std::string error_of(std::string_view text, Dimension dimension) {
  try {
    parse_quantity(text, dimension);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// value / factor as decimal text, computed by 128-bit long division: independent of format_quantity.
std::string decimal(std::int64_t value, std::int64_t factor) {
  std::string text = std::to_string(value / factor) + '.';
  __extension__ using Wide = __int128;
  Wide remainder = value % factor;
  while (remainder != 0) {
    remainder *= 10;
    text += static_cast<char>('0' + static_cast<int>(remainder / factor));
    remainder %= factor;
  }
  return text + '0';
}

}  // namespace

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.1 a decimal in any unit is read exactly") {
    CHECK(rc::check("decimals round trip", [] {
      const auto dimension = *rc::gen::elementOf(kDimensions);
      const auto value = *rc::gen::withSize([](int size) {
        return rc::gen::map(rc::gen::resize(size * 20, rc::gen::arbitrary<std::uint64_t>()),
                            [](std::uint64_t v) { return static_cast<std::int64_t>(v >> 1U); });
      });
      RC_ASSERT(parse_quantity(format_quantity(value, dimension), dimension) == value);
      for (const auto& unit : units_of(dimension)) {
        const auto space = *rc::gen::element<std::string>("", " ", "  ");
        RC_ASSERT(parse_quantity(decimal(value, unit.factor) + space + std::string(unit.name), dimension) == value);
      }
    }));
  }

  TEST_CASE("3.1 the last digit decides whether a value is a whole number of base units") {
    CHECK(parse_quantity("0.588 ns", Dimension::kTime) == 588);
    CHECK(error_of("0.5882 ns", Dimension::kTime) == "expected a whole number of picoseconds, got '0.5882 ns'");
    CHECK(parse_quantity("0.50000000000000000000000000000000000000000 GB/s", Dimension::kBandwidth) == 500'000'000);
    CHECK(error_of("0.50000000000000000000000000000000000000001 GB/s", Dimension::kBandwidth) ==
          "expected a whole number of bytes per second, got '0.50000000000000000000000000000000000000001 GB/s'");
    CHECK(parse_quantity("0.0009765625 KiB", Dimension::kBytes) == 1);
    CHECK(error_of("0.0009765624 KiB", Dimension::kBytes) ==
          "expected a whole number of bytes, got '0.0009765624 KiB'");
    CHECK(parse_quantity("0.0625", Dimension::kRatio) == 62'500);
    CHECK(parse_quantity("2", Dimension::kRatio) == 2'000'000);
    CHECK(format_quantity(2'500'000, Dimension::kRatio) == "2.5");
    CHECK(error_of("0.0000001", Dimension::kRatio) == "expected a whole number of millionths, got '0.0000001'");
    CHECK(error_of("2 x", Dimension::kRatio) == "expected a number such as 0.5, got '2 x', which has a unit");
    CHECK(parse_quantity("0.000000000000909494701772928237915039062500 TiB", Dimension::kBytes) == 1);
    CHECK(error_of("0.5 B", Dimension::kBytes) == "expected a whole number of bytes, got '0.5 B'");
    CHECK(error_of("1.5", Dimension::kCount) == "expected a whole number such as 8, got '1.5'");
    // 0.1 + 0.2 and 4503599627370497.5: where doubles go wrong.
    CHECK(parse_quantity("0.3 ns", Dimension::kTime) == 300);
    CHECK(parse_quantity("4503599627370497.501 ns", Dimension::kTime) == 4'503'599'627'370'497'501);
  }

  TEST_CASE("3.1 the largest value is read and the next one refused") {
    CHECK(parse_quantity("9223372036854775807 ps", Dimension::kTime) == kLargest);
    CHECK(parse_quantity("9223372036854775.807 ns", Dimension::kTime) == kLargest);
    for (const auto* text : {"9223372036854775808 ps", "9223372036854775.808 ns", "9223372036855 us",
                             "99999999999999999999999999999999999999999 ps"}) {
      CHECK(error_of(text, Dimension::kTime) ==
            "expected a time such as 4 ns, got '" + std::string(text) + "', which is too large");
    }
  }

  TEST_CASE("3.2 GB/s is 1000^3 bytes a second, GiB 1024^3 bytes") {
    CHECK(parse_quantity("256 GB/s", Dimension::kBandwidth) == 256'000'000'000);
    CHECK(parse_quantity("1.5 TB/s", Dimension::kBandwidth) == 1'500'000'000'000);
    CHECK(parse_quantity("16 MiB", Dimension::kBytes) == 16'777'216);
    CHECK(parse_quantity("1 TiB", Dimension::kBytes) == 1'099'511'627'776);
    CHECK(parse_quantity("1.7 GHz", Dimension::kFrequency) == 1'700'000'000);
    CHECK(parse_quantity("2 mm", Dimension::kLength) == 2000);
    CHECK(parse_quantity("0.01 ns/mm", Dimension::kDelayPerLength) == 10);
    CHECK(parse_quantity("3us", Dimension::kTime) == 3'000'000);
    CHECK(format_quantity(1'700'000'000, Dimension::kFrequency) == "1.7 GHz");
    CHECK(format_quantity(1536, Dimension::kBytes) == "1536 B");
    CHECK(format_quantity(2048, Dimension::kBytes) == "2 KiB");
    CHECK(format_quantity(0, Dimension::kTime) == "0 ps");
  }

  TEST_CASE("3.2 anything but a decimal number and a unit of the dimension is refused with an example") {
    for (const auto* text :
         {"fast", ".5 ns", "1. ns", "1,5 ns", "1e3 ns", "0x10 ns", "+1 ns", "1 n s", "1_000 ns", "nan ns"}) {
      CAPTURE(text);
      CHECK(error_of(text, Dimension::kTime).find("expected a time such as 4 ns") == 0);
    }
    CHECK(error_of("", Dimension::kTime) == "expected a time such as 4 ns, got nothing");
    CHECK(error_of("4", Dimension::kTime) == "expected a time such as 4 ns, got '4' without a unit (ps, ns or us)");
    CHECK(error_of("-4 ns", Dimension::kTime) == "expected a time such as 4 ns, not negative, got '-4 ns'");
    CHECK(error_of("4 GHz", Dimension::kTime) == "expected a time such as 4 ns (in ps, ns or us), got '4 GHz'");
    CHECK(error_of("4 NS", Dimension::kTime) ==
          "expected a time such as 4 ns (in ps, ns or us), got '4 NS'; did you mean 'ns'?");
    CHECK(error_of("4 µs", Dimension::kTime) ==
          "expected a time such as 4 ns (in ps, ns or us), got '4 µs'; did you mean 'us'?");
    CHECK(error_of("4 Gbps", Dimension::kBandwidth) ==
          "expected a bandwidth such as 256 GB/s (in B/s, kB/s, MB/s, GB/s or TB/s), got '4 Gbps'; 8 Gbps are 1 GB/s; "
          "did "
          "you mean 'GB/s'?");
  }
}
