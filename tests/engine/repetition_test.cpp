// What is counted on where a run repeats itself.
#include "sim/engine/repetition.hpp"

#include <doctest/doctest.h>

#include "sim/engine/op_log.hpp"

namespace kernbench {
namespace {

constexpr Stage kWork{"work", 10, 0};

/// One operation a turn, from 20 ns after the turn's start for 30 ns.
void turn_of(OpChannel& channel, Picoseconds start) {
  channel.record({start + Picoseconds{20'000}, start + Picoseconds{50'000}, 64, 8, 3, 0, 128});
}

TEST_SUITE("ADR-0047") {
  TEST_CASE("47.3 the same notes in another order, or at another distance, are another digest") {
    const auto digest_of = [](std::int64_t first, std::int64_t second) {
      Repetition repetition;
      repetition.note(Picoseconds{first});
      repetition.note(Picoseconds{second});
      return repetition.take_digest();
    };
    CHECK(digest_of(5, 7) == digest_of(5, 7));
    CHECK(digest_of(5, 7) != digest_of(7, 5));
    CHECK(digest_of(5, 7) != digest_of(5, 8));
    Repetition repetition;
    repetition.note(Picoseconds{5});
    static_cast<void>(repetition.take_digest());
    CHECK(repetition.take_digest() == Repetition().take_digest());
    CHECK(repetition.reach() == Picoseconds{5});
  }

  TEST_CASE("47.5 what is counted in a turn is counted as often as the turn is passed over") {
    const Picoseconds turn{100'000};
    OpLog simulated;
    OpLog counted;
    std::int64_t wakeups = 0;
    Repetition repetition;
    repetition.count(counted);
    repetition.count(wakeups);
    OpChannel& all = simulated.open("unit", kWork);
    OpChannel& few = counted.open("unit", kWork);
    for (int i = 0; i < 9; ++i) turn_of(all, i * turn);
    turn_of(few, {});
    wakeups += 4;
    repetition.remember(1, turn);
    turn_of(few, turn);
    wakeups += 4;
    CHECK(repetition.repeat(1, 6, 2 * turn));
    CHECK(repetition.passed_over() == 6 * turn);
    turn_of(few, 2 * turn);
    CHECK(wakeups == 32);
    CHECK(few.records() == all.records());
    CHECK(few.busy() == all.busy());
    CHECK(few.wall() == all.wall());
    CHECK(few.bytes() == all.bytes());
    CHECK(few.macs() == all.macs());
    CHECK(few.moved() == all.moved());
    CHECK(few.span().start == all.span().start);
    CHECK(few.span().end == all.span().end);
    CHECK(few.composite_span().end == all.composite_span().end);
  }

  TEST_CASE("47.5 loops within a loop: what the inner one passes over belongs to the outer one's turn") {
    std::int64_t work = 0;
    Repetition repetition;
    repetition.count(work);
    Picoseconds now;
    const auto simulate = [&](std::int64_t turns) {
      work += turns;
      now += turns * Picoseconds{10};
    };
    // Four rows of twenty columns: of the first two rows three columns are simulated and two more before a row ends.
    for (int row = 0; row < 2; ++row) {
      if (row == 1) repetition.remember(0, now);
      simulate(2);
      repetition.remember(1, now);
      simulate(1);
      CHECK(repetition.repeat(1, 15, now));
      simulate(2);
    }
    CHECK(repetition.repeat(0, 2, now));
    CHECK(work == 80);
    CHECK(now + repetition.passed_over() == Picoseconds{800});
  }
}

}  // namespace
}  // namespace kernbench
