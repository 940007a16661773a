// What a memory holds: which blocks have a byte in common, and which accesses are a race.
#include "sim/hw/values/value_store.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/base/errors.hpp"

using namespace kernbench;

namespace {

std::set<Address> bytes_of(const Block& block) {
  std::set<Address> bytes;
  for (std::int64_t row = 0; row < block.rows; ++row) {
    for (Bytes byte = 0; byte < block.row_bytes; ++byte) bytes.insert(block.address + row * block.stride + byte);
  }
  return bytes;
}

Block any_block() {
  const auto below = [](std::int64_t limit) { return *rc::gen::inRange<std::int64_t>(0, limit); };
  const Bytes width = 1 + below(12);
  return {below(60), below(6), width, width + below(14)};
}

constexpr Block kFirstBlock{0, 1, 8, 8};
constexpr Block kAcross{6, 1, 8, 8};  // bytes 6 and 7 are the first's
constexpr Block kBeside{8, 1, 8, 8};

Picoseconds ns(std::int64_t time) { return from_ns(time); }

/// What the second access is told while the first has not ended; "" where it may.
std::string race(bool first_writes, bool second_writes, const Block& second = kAcross) {
  ValueStore memory("the TCM");
  static_cast<void>(memory.open(kFirstBlock, first_writes, "A", ns(1)));
  try {
    static_cast<void>(memory.open(second, second_writes, "B", ns(5)));
    return "";
  } catch (const SimulationError& error) {
    return error.what();
  }
}

/// Whether a touch at `now` is refused beside an access from `since` to `until`.
bool touch_races(Picoseconds since, Picoseconds until, Picoseconds now, bool writes = true) {
  ValueStore memory("the TCM");
  memory.close(memory.open(kFirstBlock, false, "A", since), until);
  try {
    memory.touch(kAcross, writes, "B", now, 0);
    return false;
  } catch (const SimulationError&) {
    return true;
  }
}

}  // namespace

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.21 two blocks overlap where they have a byte in common: rows, not what lies between them") {
    CHECK(rc::check("overlap of strided blocks", [] {
      const Block a = any_block();
      const Block b = any_block();
      const std::set<Address> of_a = bytes_of(a);
      const std::set<Address> of_b = bytes_of(b);
      const bool common = std::ranges::any_of(of_a, [&](Address byte) { return of_b.contains(byte); });
      RC_CLASSIFY(common);
      RC_ASSERT(overlap(a, b) == common);
      RC_ASSERT(overlap(b, a) == common);
    }));
    // Columns of one matrix side by side.
    CHECK_FALSE(overlap({0, 4, 8, 16}, {8, 4, 8, 16}));
    CHECK(overlap({0, 4, 10, 16}, {8, 4, 8, 16}));
  }

  TEST_CASE(
      "28.21 of two accesses to a byte at one time one that writes makes a race; both are named, with their times") {
    CHECK(race(false, false).empty());
    CHECK(race(true, true, kBeside).empty());
    CHECK(race(false, true) ==
          "race in the TCM: at 5 ns B writes bytes 6 to 13, while A reads bytes 0 to 7 since 1 ns; nothing orders the "
          "two: wait for one before the other, or use another buffer");
    CHECK(race(true, false) ==
          "race in the TCM: at 5 ns B reads bytes 6 to 13, while A writes bytes 0 to 7 since 1 ns; nothing orders the "
          "two: wait for one before the other, or use another buffer");
    CHECK(race(true, true).find("B writes bytes 6 to 13, while A writes bytes 0 to 7") != std::string::npos);
  }

  TEST_CASE("28.21 what ends at an instant is over at it, and may be announced ahead of time") {
    for (const std::int64_t at : {8, 9, 10, 11}) {
      CAPTURE(at);
      ValueStore memory("the TCM");
      const ValueStore::Open reading = memory.open(kFirstBlock, false, "A", ns(1));
      memory.close(reading, ns(10));
      const auto write = [&] { static_cast<void>(memory.open(kAcross, true, "B", ns(at))); };
      if (at < 10) {
        CHECK_THROWS_AS(write(), SimulationError);
      } else {
        CHECK_NOTHROW(write());
      }
    }
  }

  TEST_CASE("28.21 two that begin at one instant are a race; what is done at once comes before what begins then") {
    ValueStore memory("the TCM");
    static_cast<void>(memory.open(kFirstBlock, false, "A", ns(5)));
    CHECK_THROWS_AS(static_cast<void>(memory.open(kAcross, true, "B", ns(5))), SimulationError);

    CHECK_FALSE(touch_races(ns(5), ns(9), ns(5)));
    CHECK(touch_races(ns(5), ns(9), ns(5) + Picoseconds{1}));
    CHECK(touch_races(ns(5), ns(9), ns(9) - Picoseconds{1}));
    CHECK_FALSE(touch_races(ns(5), ns(9), ns(9)));
    CHECK_FALSE(touch_races(ns(5), ns(9), ns(7), false));  // both read
    // A touch is over at once: it stands in nobody's way.
    ValueStore other("the TCM");
    other.touch(kFirstBlock, true, "A", ns(5), 0);
    CHECK_NOTHROW(static_cast<void>(other.open(kFirstBlock, true, "B", ns(5))));
  }

  TEST_CASE("28.20 what nobody has written equals nothing; an address outside of what can be kept is an error") {
    ValueStore memory("the HBM");
    memory.set(6, 2.0F);
    CHECK(memory.get(6) == 2.0F);
    CHECK(std::isnan(memory.get(4)));        // below
    CHECK(std::isnan(memory.get(1 << 20)));  // beyond
    CHECK_THROWS_WITH_AS((void)memory.get(-2), "verification: address -2 of the HBM: expected 0 to 4294967295",
                         SimulationError);
  }
}

TEST_SUITE("ADR-0034") {
  TEST_CASE("34.6 elements of one, two and four bytes beside each other are found by their first byte") {
    CHECK(rc::check([] {
      ValueStore memory("the TCM");
      std::map<Address, float> written;
      const auto address = [] { return *rc::gen::inRange<Address>(0, 64); };
      for (int step = 0; step < 40; ++step) {
        const Bytes element = *rc::gen::element<Bytes>(1, 2, 4);
        const Address at = address() / element * element;
        memory.set(at, static_cast<float>(step));
        written[at] = static_cast<float>(step);
        for (Address other = 0; other < 70; ++other) {
          const auto found = written.find(other);
          if (found == written.end()) {
            RC_ASSERT(std::isnan(memory.get(other)));
          } else {
            RC_ASSERT(memory.get(other) == found->second);
          }
        }
      }
    }));
  }

  TEST_CASE("34.12 elements of half a byte are found in their rows, beside whole ones that were there before") {
    for (const Dtype dtype : kOperandDtypes.values()) {
      CAPTURE(name_of(dtype));
      ValueStore memory("the TCM");
      memory.set(2, 7.0F);
      constexpr Address kRow = 9;
      constexpr std::int64_t kElements = 70;
      for (std::int64_t i = 0; i < kElements; ++i) memory.set(kRow, i, dtype, static_cast<float>(i));
      for (std::int64_t i = 0; i < kElements; ++i) REQUIRE(memory.get(kRow, i, dtype) == static_cast<float>(i));
      CHECK(memory.get(2) == 7.0F);
      if (!is_grouped(dtype)) continue;
      CHECK(std::isnan(memory.get(kRow)));  // an exponent
      CHECK(std::isnan(memory.get(kRow + group_of(dtype).bytes())));
      CHECK(memory.get(kRow + 1) == 0.0F);
    }
  }
}
