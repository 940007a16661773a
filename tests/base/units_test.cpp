// Exact arithmetic of units: durations from bytes and cycles are rounded up once.
#include "sim/base/units.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <type_traits>

using namespace kernbench;

namespace {

__extension__ using Wide = unsigned __int128;

/// The least q with q x c >= a x b, by bisection over multiplications only.
std::int64_t ceiling_by_bisection(std::int64_t a, std::int64_t b, std::int64_t c) {
  const Wide product = static_cast<Wide>(a) * static_cast<Wide>(b);
  Wide low = 0;
  Wide high = product;
  while (low < high) {
    const Wide middle = low + (high - low) / 2;
    // middle x c may pass 128 bits only where it is far above the product.
    const bool enough = middle > product / static_cast<Wide>(c) || middle * static_cast<Wide>(c) >= product;
    if (enough) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<std::int64_t>(low);
}

}  // namespace

TEST_SUITE("ADR-0002") {
  TEST_CASE("2.2 ceil_mul_div is the ceiling of the exact quotient") {
    CHECK(rc::check("against bisection", [] {
      const auto bits = *rc::gen::inRange(1, 62);
      const auto a = *rc::gen::inRange<std::int64_t>(0, (std::int64_t{1} << bits));
      const auto b = *rc::gen::inRange<std::int64_t>(0, kPicosecondsPerSecond * 2);
      const auto least = static_cast<std::int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b) / (Wide{1} << 62U)) + 1;
      const auto c = *rc::gen::inRange<std::int64_t>(least, least + 2'000'000'000'000);
      RC_ASSERT(ceil_mul_div(a, b, c) == ceiling_by_bisection(a, b, c));
    }));
    CHECK(ceil_mul_div(0, 5, 3) == 0);
    CHECK(ceil_mul_div(3, 5, 3) == 5);
    CHECK(ceil_mul_div(1, 1, 3) == 1);
    CHECK(ceil_mul_div(std::int64_t{1} << 40, kPicosecondsPerSecond, kPicosecondsPerSecond) == std::int64_t{1} << 40);
  }

  TEST_CASE("2.3 a million cycles at 1.7 GHz lose nothing to a rounded period") {
    const Clock clock{1'700'000'000};
    CHECK(clock.time_for(17) == Picoseconds{10'000});
    CHECK(clock.time_for(1) == Picoseconds{589});
    CHECK(clock.time_for(1'000'000) == Picoseconds{588'235'295});  // 588,235,294.1 rounded up once
    CHECK(clock.time_for(1'000'000).value - std::int64_t{1'000'000} * 588 ==
          235'295);  // what a 588 ps period would lose: 235 ns
  }

  TEST_CASE("2.2 bytes over bandwidth round up to the next picosecond, and only there") {
    CHECK(Bandwidth{256'000'000'000}.time_for(256) == from_ns(1));
    CHECK(Bandwidth{256'000'000'000}.time_for(257) == Picoseconds{1004});  // 1003.9
    CHECK(Bandwidth{3}.time_for(1) == Picoseconds{333'333'333'334});
    CHECK(Bandwidth{1'000'000}.time_for(Bytes{1} << 30) == Picoseconds{1'073'741'824'000'000});
  }

  TEST_CASE("2.2 a duration is the least in which the bytes are moved: not a picosecond less, not one more") {
    CHECK(rc::check("t moves them, t - 1 does not", [] {
      const auto bytes = *rc::gen::inRange<Bytes>(1, Bytes{1} << 40);
      const auto rate = *rc::gen::inRange<std::int64_t>(1'000'000, 10 * kPicosecondsPerSecond);
      const auto time = static_cast<Wide>(Bandwidth{rate}.time_for(bytes).value);
      const Wide wanted = static_cast<Wide>(bytes) * kPicosecondsPerSecond;
      RC_ASSERT(time * static_cast<Wide>(rate) >= wanted);
      RC_ASSERT((time - 1) * static_cast<Wide>(rate) < wanted);
      RC_ASSERT(Clock{rate}.time_for(bytes).value == static_cast<std::int64_t>(time));
    }));
  }

  TEST_CASE("2.1 times are integers, exact far beyond where a double counts picoseconds") {
    static_assert(std::is_same_v<decltype(Picoseconds::value), std::int64_t>);
    constexpr Picoseconds large = from_ns(9'007'199'254'740'993) + Picoseconds{1};  // 2^53 + 1 ns
    CHECK(large - from_ns(9'007'199'254'740'993) == Picoseconds{1});
    CHECK(large.value == 9'007'199'254'740'993'001);
    CHECK(3 * Picoseconds{333'333'333'333'333'333} == Picoseconds{999'999'999'999'999'999});
  }
}
