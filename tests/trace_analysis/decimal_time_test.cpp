// Times from their decimal digits.
#include "benches/traces/events/decimal_time.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

using kernbench::Int128;
using kernbench::traces::picoseconds_from_microseconds;

namespace {

/// As a number that doctest shows; -1 where there is none.
std::int64_t ps(const std::string& digits) {
  return static_cast<std::int64_t>(picoseconds_from_microseconds(digits).value_or(-1));
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.3 a time is its digits: any number of decimals, or an exponent") {
    CHECK(ps("4414803000792.245") == 4'414'803'000'792'245'000);
    CHECK(ps("0.8") == 800'000);
    CHECK(ps("12") == 12'000'000);
    CHECK(ps("1.000001") == 1'000'001);
    CHECK(ps("1.5e3") == 1'500'000'000);
    CHECK(ps("15E-1") == 1'500'000);
    CHECK(ps("2e+0") == 2'000'000);
    CHECK(ps("-3.25") == -3'250'000);
    CHECK(ps("0") == 0);
    CHECK(ps("0e999999999999") == 0);
    CHECK(ps("1e-999999999999") == 0);
  }

  TEST_CASE("40.3 below a picosecond halves are rounded away from zero") {
    CHECK(ps("0.0000005") == 1);
    CHECK(ps("0.00000049999999999999999999999999999999999999999999") == 0);
    CHECK(ps("-0.0000005") == -1);
    CHECK(ps("1.0000014999") == 1'000'001);
    CHECK(ps("0.00000005") == 0);
    CHECK(ps("123456789.0000000000000000000000000000000000000000009") == 123'456'789'000'000);
  }

  TEST_CASE("40.3 microseconds from 1970 do not fit 63 bits of picoseconds, and are exact") {
    const auto time = picoseconds_from_microseconds("1790857026000000.123456");
    REQUIRE(time.has_value());
    CHECK(*time == Int128{1'790'857'026'000'000} * 1'000'000 + 123'456);
  }

  TEST_CASE("40.3 what is no JSON number is no time") {
    for (const char* text :
         {"", "-", "+1", ".5", "1.", "1e", "1e+", "0x10", "01", "nan", "1 ", "\"1\"", "1e40", "null"}) {
      CAPTURE(text);
      CHECK_FALSE(picoseconds_from_microseconds(text).has_value());
    }
  }

  TEST_CASE("40.3 what is written with six decimals is read as it was") {
    CHECK(rc::check([](std::uint32_t seconds, std::uint32_t picoseconds) {
      const std::int64_t value = std::int64_t{seconds} * 1'000'000 + picoseconds % 1'000'000;
      std::string decimals = std::to_string(1'000'000 + picoseconds % 1'000'000).substr(1);
      RC_ASSERT(ps(std::to_string(seconds) + "." + decimals) == value);
      RC_ASSERT(ps(std::to_string(value) + "e-6") == value);
    }));
  }
}
