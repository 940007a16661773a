// Numbers of options: one text, one number, or a refusal that says the range.
#include "benches/io/program/option_values.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace {

/// What the rule makes of the text, or what it says.
std::string read(const kernbench::ValueRule& rule, std::string text) {
  const std::string refused = rule.read(text);
  return refused.empty() ? text : refused;
}

}  // namespace

TEST_SUITE("ADR-0026") {
  TEST_CASE("26.1 whole numbers are decimal and in their range") {
    const auto number = kernbench::whole_number(0, 100);
    CHECK(number.range == "0..100");
    CHECK(read(number, "0") == "0");
    CHECK(read(number, "100") == "100");
    CHECK(read(number, "010") == "10");
    for (const char* text :
         {"101", " 5", "5 ", "-1", "+1", "0x10", "1e1", "1.5", "", "ten", "18446744073709551616", "1 KiB", "1_0"}) {
      CHECK(read(number, text) == "expected a whole number from 0 to 100, got '" + std::string(text) + "'");
    }
    const auto any = kernbench::whole_number(0, std::numeric_limits<std::int64_t>::max());
    CHECK(read(any, "9223372036854775807") == "9223372036854775807");
    CHECK(read(any, "9223372036854775808").starts_with("expected a whole number"));
  }

  TEST_CASE("26.1 numbers with decimals are finite and in their range") {
    const auto fraction = kernbench::decimal_number(0, 1);
    CHECK(fraction.range == "0..1");
    for (const char* text : {"0", "1", "0.25", "1e-3"}) CHECK(read(fraction, text) == text);
    for (const char* text : {"1.01", "-0.1", "nan", "inf", "-inf", "0x1p-2", "", " 1", "1s", "0,5", "1e999"}) {
      CHECK(read(fraction, text) == "expected a number from 0 to 1, got '" + std::string(text) + "'");
    }
  }

  TEST_CASE("26.2 a limit in seconds is none or at least a millisecond") {
    const auto seconds = kernbench::seconds_or_none();
    for (const char* text : {"0", "0.001", "0.3", "1e9"}) CHECK(read(seconds, text) == text);
    for (const char* text : {"1e-9", "0.0009", "nan", "-1", "1.1e9", "inf"}) {
      CHECK(read(seconds, text) == "expected seconds, 0 or from 0.001 to 1e9, got '" + std::string(text) + "'");
    }
  }
}
