// Arithmetic at the limit and one beyond it: an error that names what overflowed, never a wrapped number.
#include "sim/base/checked.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "sim/base/check.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/units.hpp"

using namespace kernbench;

namespace {

constexpr std::int64_t kMost = INT64_MAX;
constexpr Picoseconds kEnd{kMost};

}  // namespace

TEST_SUITE("ADR-0002") {
  TEST_CASE("2.5 times are counted up to 2^63 - 1 ps, and one more is an error that says so") {
    CHECK(Picoseconds{kMost - 1} + Picoseconds{1} == kEnd);
    CHECK_THROWS_WITH_AS(
        std::ignore = kEnd + Picoseconds{1},
        "simulated time beyond 2^63 - 1 ps (106 days), the most that is counted; take a smaller problem or "
        "a faster machine",
        OverflowError);
    Picoseconds time = kEnd;
    CHECK_THROWS_AS(time += Picoseconds{1}, OverflowError);
    CHECK(time == kEnd);
    CHECK_THROWS_AS(std::ignore = Picoseconds{-2} - kEnd, OverflowError);
    CHECK(Picoseconds{-1} - kEnd == Picoseconds{INT64_MIN});

    // 2^63 - 1 = 7 x 7 x 73 x 127 x 337 x 92737 x 649657
    CHECK(7 * Picoseconds{kMost / 7} == kEnd);
    CHECK_THROWS_AS(std::ignore = 7 * Picoseconds{kMost / 7 + 1}, OverflowError);
    CHECK(from_ns(kMost / 1000) == Picoseconds{kMost / 1000 * 1000});
    CHECK_THROWS_AS(from_ns(kMost / 1000 + 1), OverflowError);
  }

  TEST_CASE("2.5 a duration that 63 bits do not hold is an error, not what is left of it") {
    CHECK(ceil_mul_div(kMost, kMost, kMost) == kMost);
    CHECK(ceil_mul_div(kMost, kMost - 1, kMost) == kMost - 1);
    CHECK_THROWS_AS(ceil_mul_div(kMost, kMost, kMost - 1), OverflowError);
    CHECK_THROWS_AS(ceil_mul_div(kMost, 2, 1), OverflowError);

    // At 1 byte a second a byte takes 10^12 ps: 9,223,372 of them fit.
    CHECK(Bandwidth{1}.time_for(9'223'372) == Picoseconds{9'223'372'000'000'000'000});
    CHECK_THROWS_AS(std::ignore = Bandwidth{1}.time_for(9'223'373), OverflowError);
    CHECK(Clock{1'000'000}.time_for(9'223'372'036'854) == Picoseconds{9'223'372'036'854'000'000});
    CHECK_THROWS_AS(std::ignore = Clock{1'000'000}.time_for(9'223'372'036'855), OverflowError);
  }

  TEST_CASE("2.5 checked arithmetic gives the exact result where 63 bits hold it, and an error elsewhere") {
    CHECK(rc::check("against 128 bits", [] {
      const auto any = [] {
        const auto bits = *rc::gen::resize(100, rc::gen::arbitrary<std::int64_t>());
        const std::int64_t least = bits & 3;
        return *rc::gen::element<std::int64_t>(std::int64_t{bits}, INT64_MAX - least, INT64_MIN + least, bits >> 31,
                                               std::int64_t{least});
      };
      const std::int64_t a = any();
      const std::int64_t b = any();
      const auto agrees = [](Int128 exact, auto&& calculate) {
        const bool fits = exact <= INT64_MAX && exact >= INT64_MIN;
        try {
          return calculate() == exact && fits;
        } catch (const OverflowError& error) {
          return !fits && std::string(error.what()).find("bytes read beyond 2^63 - 1 bytes,") == 0;
        }
      };
      const Int128 wide = a;
      RC_ASSERT(agrees(wide + b, [&] { return checked_add(a, b, "bytes read", kInBytes); }));
      RC_ASSERT(agrees(wide - b, [&] { return checked_subtract(a, b, "bytes read", kInBytes); }));
      RC_ASSERT(agrees(wide * b, [&] { return checked_multiply(a, b, "bytes read", kInBytes); }));
      RC_ASSERT(agrees(wide + b, [&] { return narrow(wide + b, "bytes read", kInBytes); }));
    }));
  }

  TEST_CASE("2.5 a wide sum holds what 63 bits do not, and says so when it is read") {
    WideSum sum;
    sum += kMost - 1;
    sum += 1;
    CHECK(sum.get("busy time", kInPicoseconds) == kMost);
    sum += kMost;
    sum += kMost;
    CHECK(sum.as_double() == 0x1.8p64);
    CHECK_THROWS_WITH_AS(std::ignore = sum.get("busy time of dma_in", kInPicoseconds),
                         doctest::Contains("busy time of dma_in beyond 2^63 - 1 ps"), OverflowError);
    sum += -kMost;
    sum += -kMost;
    CHECK(sum.get("busy time", kInPicoseconds) == kMost);
  }

  TEST_CASE("2.5 what is only compared with a limit stops at the most that 64 bits hold") {
    CHECK(saturating_multiply(kMost / 7, 7) == kMost);
    CHECK(saturating_multiply(kMost / 7 + 1, 7) == kMost);
    CHECK(saturating_multiply(1 << 20, 1 << 20) == std::int64_t{1} << 40);
    Bandwidth sum{kMost - 1};
    sum += Bandwidth{1};
    CHECK(sum == Bandwidth{kMost});
    CHECK_THROWS_AS(sum += Bandwidth{1}, OverflowError);
  }

  TEST_CASE("2.5 arithmetic stays usable where a constant is asked for") {
    static_assert(from_ns(3) + 2 * Picoseconds{500} - Picoseconds{1} == Picoseconds{3'999});
    static_assert(Bandwidth{256'000'000'000}.time_for(257) == Picoseconds{1004});
  }
}

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.16 a broken invariant is an error that names its place, in release builds too") {
    int made = 0;
    const auto message = [&made] { return ++made, std::string("two and two"); };
    CHECK_NOTHROW(KB_CHECK(2 + 2 == 4, message()));
    CHECK(made == 0);
    const int line = __LINE__ + 2;
    try {
      KB_CHECK(2 + 2 == 5, message());
      FAIL("went on");
    } catch (const InvariantError& error) {
      CHECK(error.what() == "kernbench is wrong here: tests/base/checked_test.cpp:" + std::to_string(line) +
                                ": two and two; please report it with the command");
    }
  }
}
