// What the memory and the ledger say of themselves where a run may repeat itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "sim/engine/repetition.hpp"
#include "sim/hw/memory/pseudo_channels.hpp"
#include "sim/hw/pe/ledger.hpp"
#include "tests/support/milestone.hpp"

namespace kernbench {
namespace {

constexpr Picoseconds kTurn{100};

/// Tells a ledger of turn i; `last` is what the next turn's first interval follows.
using Tell = std::function<void(Ledger&, int i, Reason& last)>;

/// `turns` of them, of which but five are told where `repetition` counts the others; returns the last reason.
Reason tell_turns(Ledger& ledger, const Tell& tell, int turns, Repetition* repetition) {
  Reason last = kNoReason;
  const int told = repetition == nullptr ? turns : 5;
  for (int i = 0; i < told; ++i) {
    if (repetition != nullptr && i == told - 1) repetition->remember(2, i * kTurn);
    tell(ledger, i, last);
  }
  if (repetition != nullptr) REQUIRE(repetition->repeat(2, turns - told, told * kTurn) == turns - told);
  return last;
}

/// Whether the ledger of turns of which most were passed over is that of all of them, until `after` the last one.
bool same_paths(const Tell& tell, Picoseconds after) {
  constexpr int turns = 50;
  Ledger simulated(true);
  Ledger counted(true);
  Repetition repetition;
  counted.follow(repetition);
  tell_turns(simulated, tell, turns, nullptr);
  Reason last = tell_turns(counted, tell, turns - 1, &repetition);
  tell(counted, 5, last);
  const Ledger::Closed expected = simulated.close(turns * kTurn + after);
  const Ledger::Closed closed = counted.close(6 * kTurn + after);
  return closed.time == expected.time && closed.path == expected.path && closed.path.sum() == turns * kTurn + after;
}

TEST_SUITE("ADR-0047") {
  TEST_CASE("47.3 writes that a channel gathers are part of its state") {
    const HbmSpec spec = milestone({"die.hbm.write_batch=4"}).die.hbm;
    const auto state_of = [&spec](int writes) {
      PseudoChannels channels(spec);
      Repetition repetition;
      channels.follow(repetition);
      static_cast<void>(channels.read({0, 64 * spec.pseudo_channels}, {}));  // all channels are busy
      for (int i = 0; i < writes; ++i) channels.write({0, 1}, {});
      channels.note_state(repetition, Picoseconds{1});
      return repetition.take_digest();
    };
    CHECK(state_of(0) == state_of(0));
    CHECK(state_of(0) != state_of(1));
    CHECK(state_of(1) != state_of(2));
  }

  TEST_CASE("47.6 the ledger of turns that were passed over is that of all turns") {
    // A read, and the array's work on what it brings.
    const auto tell = [](Ledger& ledger, int i, Reason& last) {
      const Picoseconds start = i * kTurn;
      last = ledger.add(Cause::kHbm, start, start + Picoseconds{70}, last);
      ledger.work(start + Picoseconds{70}, start + Picoseconds{70}, start + kTurn, last);
      last = kArrayAtWork;
    };
    CHECK(same_paths(tell, {}));
  }

  TEST_CASE("47.6 paths that never meet grow each by what it goes round through") {
    // Something fetches all the time, and the array works all the time: the two never wait for each other.
    const auto tell = [](Ledger& ledger, int i, Reason& fetched) {
      const Picoseconds start = i * kTurn + Picoseconds{30};
      fetched = ledger.add(Cause::kFetch, i * kTurn, (i + 1) * kTurn, fetched);
      ledger.work(start, start, start + kTurn, i == 0 ? fetched : kArrayAtWork);
      static_cast<void>(ledger.add(Cause::kDrain, start + kTurn, start + kTurn + Picoseconds{5}, kArrayAtWork));
    };
    CHECK(same_paths(tell, Picoseconds{30}));
    // And what the path ends with is the fetching.
    CHECK(same_paths(
        [&](Ledger& ledger, int i, Reason& fetched) {
          tell(ledger, i, fetched);
          static_cast<void>(ledger.add(Cause::kEpilogue, (i + 1) * kTurn, (i + 1) * kTurn + Picoseconds{60}, fetched));
        },
        Picoseconds{60}));
  }

  /// Turn i's read follows that of three turns ago, and the array waits for it: three paths, each of which goes round
  /// once in three turns.
  struct Credits {
    std::array<Reason, 3> last{kNoReason, kNoReason, kNoReason};
    std::array<Cause, 3> causes{};
    void operator()(Ledger& ledger, int i, Reason& reason) {
      const auto credit = static_cast<std::size_t>(i % 3);
      const Picoseconds begin = i < 3 ? Picoseconds{} : (i - 2) * kTurn + Picoseconds{10};
      const Picoseconds end = (i + 1) * kTurn;
      const Reason before =
          i < 3 ? kNoReason : ledger.add(Cause::kSetup, begin - Picoseconds{10}, begin, last.at(credit));
      last.at(credit) = reason = ledger.add(causes.at(credit), begin, end, before);
      ledger.work(end, end, end + Picoseconds{10}, reason);
    }
  };

  TEST_CASE("47.6 paths that go round once in three turns: three turns are passed over, or six, ...") {
    constexpr int kTold = 15;
    const auto told = [](Ledger& ledger, Repetition* repetition, int turns) {
      Credits credits{.causes = {Cause::kHbm, Cause::kHbm, Cause::kHbm}};
      Reason reason = kNoReason;
      for (int i = 0; i < turns; ++i) {
        if (repetition != nullptr && i == kTold - 1) repetition->remember(2, i * kTurn);
        credits(ledger, i, reason);
      }
      return credits;
    };
    Ledger simulated(true);
    static_cast<void>(told(simulated, nullptr, kTold + 9 + 3));
    Ledger counted(true);
    Repetition repetition;
    counted.follow(repetition);
    Credits credits = told(counted, &repetition, kTold);
    CHECK(repetition.repeat(2, 2, kTold * kTurn) == 0);
    CHECK(repetition.repeat(2, 11, kTold * kTurn) == 9);
    Reason reason = kNoReason;
    for (int i = kTold; i < kTold + 3; ++i) credits(counted, i, reason);
    const Ledger::Closed closed = counted.close((kTold + 3) * kTurn + Picoseconds{10});
    const Ledger::Closed expected = simulated.close((kTold + 9 + 3) * kTurn + Picoseconds{10});
    CHECK(closed.time == expected.time);
    CHECK(closed.path == expected.path);
    CHECK(closed.path.of(Cause::kSetup).value > 0);
  }

  TEST_CASE("47.6 nothing is passed over where a turn has other steps than the one before it") {
    Credits tell{.causes = {Cause::kHbm, Cause::kCredits, Cause::kCredits}};
    Ledger ledger(true);
    Repetition repetition;
    ledger.follow(repetition);
    Reason last = kNoReason;
    for (int i = 0; i < 12; ++i) {
      if (i == 11) repetition.remember(2, i * kTurn);
      tell(ledger, i, last);
    }
    CHECK(repetition.repeat(2, 10, 12 * kTurn) == 0);
    CHECK(repetition.passed_over() == Picoseconds{});
  }
}

}  // namespace
}  // namespace kernbench
