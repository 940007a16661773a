// Permits whose return is announced before it happens.
#include "sim/engine/tokens.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/engine/process.hpp"
#include "tests/engine/trace.hpp"

using namespace kernbench;

namespace {

/// `count` permits come back at least `lead` after the announcement, which is made `gap` after the one before it.
struct Release {
  int gap;
  int lead;
  int count;
};

/// Wants `count` permits not before `offset` from now on, goes on `service` later and asks again `rest` later.
struct Acquire {
  int count;
  int offset;
  int service;
  int rest;
};

Process give(Calendar& calendar, Tokens& tokens, std::vector<Release> releases) {
  Picoseconds last{};
  for (const Release& release : releases) {
    co_await calendar.delay({release.gap});
    last = std::max(last, calendar.now() + Picoseconds{release.lead});
    tokens.release(release.count, last);
  }
}

Process take(Calendar& calendar, Trace& trace, Tokens& tokens, std::vector<Acquire> acquires) {
  for (const Acquire& want : acquires) {
    const Picoseconds not_before = std::max(Picoseconds{}, calendar.now() + Picoseconds{want.offset});
    co_await tokens.acquire(want.count, not_before, {want.service});
    trace.line(calendar.now(), std::to_string(want.count));
    co_await calendar.delay({want.rest});
  }
}

/// Permits one by one: the k-th permit ever taken is the k-th ever announced.
std::string expected(int initial, const std::vector<Release>& releases, const std::vector<Acquire>& acquires) {
  std::vector<std::int64_t> permits(static_cast<std::size_t>(initial), 0);
  std::int64_t now = 0;
  std::int64_t at = 0;
  for (const Release& release : releases) {
    now += release.gap;
    at = std::max(at, now + release.lead);
    permits.insert(permits.end(), static_cast<std::size_t>(release.count), at);
  }
  Trace trace;
  std::size_t taken = 0;
  std::int64_t acquirer = 0;
  for (const Acquire& want : acquires) {
    taken += static_cast<std::size_t>(want.count);
    if (taken > permits.size()) {
      return trace.text + "waiting   tokens: " + std::to_string(taken - permits.size()) + " missing\n";
    }
    const std::int64_t granted = std::max({acquirer, acquirer + want.offset, permits[taken - 1]});
    acquirer = granted + want.service;
    trace.line({acquirer}, std::to_string(want.count));
    acquirer += want.rest;
  }
  return trace.text;
}

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.5 permits are granted in the order of announcement at the first instant at which all are there") {
    CHECK(rc::check("random releases and acquisitions", [] {
      const auto range = [](int least, int most) { return rc::gen::inRange(least, most + 1); };
      const int initial = *range(0, 4);
      const auto releases = *rc::gen::container<std::vector<Release>>(
          rc::gen::construct<Release>(range(0, 6), range(0, 12), range(1, 4)));
      const auto acquires = *rc::gen::container<std::vector<Acquire>>(
          rc::gen::construct<Acquire>(range(1, 3), range(-5, 9), range(0, 4), range(0, 4)));
      const bool releaser_first = *rc::gen::arbitrary<bool>();
      const std::string text = traced([&](Calendar& calendar, Trace& trace) {
        Tokens tokens(calendar, "tokens", initial);
        Process releaser = give(calendar, tokens, releases);
        Process acquirer = take(calendar, trace, tokens, acquires);
        (releaser_first ? releaser : acquirer).start(calendar);
        (releaser_first ? acquirer : releaser).start(calendar);
        calendar.run();
        if (!acquirer.done()) trace.text += "waiting " + calendar.describe_waiting();
      });
      RC_ASSERT(text == expected(initial, releases, acquires));
    }));
  }

  TEST_CASE("1.5 permits that return at t are not granted at t - 1; taking them and serving is one wake-up") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Tokens tokens(calendar, "tokens", 0);
      Process acquirer = take(calendar, trace, tokens, {{2, 0, 0, 0}, {2, 0, 7, 0}, {1, 0, 7, 0}});
      acquirer.start(calendar);
      tokens.release(1, {99});
      tokens.release(1, {100});
      tokens.release(3, {100});
      calendar.run();
      trace.line(calendar.now(), "wake-ups " + std::to_string(calendar.wakeups()));
    });
    // Start, two permits at 100, then two services of 7.
    CHECK(text == "100 2\n107 2\n114 1\n114 wake-ups 4\n");
  }

  TEST_CASE("1.5 permits announced so far are taken in the order of their times, further ones as they are announced") {
    const std::string known = traced([](Calendar& calendar, Trace& trace) {
      Tokens tokens(calendar, "tokens", 0);
      tokens.release(1, {100});
      tokens.release(1, {50});
      Process acquirer = take(calendar, trace, tokens, {{1, 0, 0, 0}, {1, 0, 0, 0}});
      acquirer.start(calendar);
      calendar.run();
    });
    CHECK(known == "50 1\n100 1\n");
    const std::string waiting = traced([](Calendar& calendar, Trace& trace) {
      Tokens tokens(calendar, "tokens", 0);
      Process acquirer = take(calendar, trace, tokens, {{1, 0, 0, 0}, {1, 0, 0, 0}});
      Process later = give(calendar, tokens, {{1, 99, 1}});
      Process sooner = give(calendar, tokens, {{2, 48, 1}});
      for (Process* process : {&acquirer, &later, &sooner}) process->start(calendar);
      calendar.run();
    });
    CHECK(waiting == "100 1\n100 1\n");
  }

  TEST_CASE("1.5 permits that are there cost no wake-up") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Tokens tokens(calendar, "tokens", 6);
      Process acquirer = take(calendar, trace, tokens, {{1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}});
      acquirer.start(calendar);
      calendar.run();
      trace.line(calendar.now(), "wake-ups " + std::to_string(calendar.wakeups()));
    });
    CHECK(text == "0 1\n0 2\n0 3\n0 wake-ups 1\n");
  }
}

namespace {

/// Turns of ten picoseconds: each announces `given` permits for the fifth and takes one.
Process take_turns(Calendar& calendar, Tokens& tokens, int turns, int given) {
  for (int i = 0; i < turns; ++i) {
    const Picoseconds end = calendar.now() + Picoseconds{10};
    if (given > 0) tokens.release(given, calendar.now() + Picoseconds{5});
    co_await tokens.acquire(1);
    co_await calendar.until(end);
  }
}

/// After `before` turns one is measured; what of `further` ones is passed over, and what is left then.
Process count_on(Calendar& calendar, Trace& trace, Tokens& tokens, int given, int further, int before) {
  Repetition repetition;
  tokens.follow(repetition);
  const Process first = take_turns(calendar, tokens, before, given);
  co_await first.finished();
  repetition.remember(0, calendar.now());
  const Process measured = take_turns(calendar, tokens, 1, given);
  co_await measured.finished();
  const std::int64_t passed = repetition.repeat(0, further, calendar.now());
  const Process others = take_turns(calendar, tokens, further - static_cast<int>(passed), given);
  co_await others.finished();
  for (trace.text = std::to_string(passed) + " passed over, left: ";; trace.text += 'i') co_await tokens.acquire(1);
}

std::string counted_on(int initial, int given, int further, int before = 2) {
  return traced([=](Calendar& calendar, Trace& trace) {
    Tokens tokens(calendar, "permits", initial);
    const Process process = count_on(calendar, trace, tokens, given, further, before);
    calendar.schedule(process.handle(), {});
    calendar.run();
  });
}

}  // namespace

TEST_SUITE("ADR-0047") {
  TEST_CASE("47.10 permits that become more or fewer with each turn are counted on where nobody waits for one") {
    const auto said = [](int passed, int left) {
      return std::to_string(passed) + " passed over, left: " + std::string(static_cast<std::size_t>(left), 'i');
    };
    CHECK(counted_on(20, 0, 10) == said(10, 7));
    CHECK(counted_on(20, 0, 17) == said(16, 0));  // the last turn's permit has to be there when it begins
    CHECK(counted_on(5, 2, 30) == said(30, 38));
    CHECK(counted_on(0, 1, 10) == said(10, 0));  // as many as before: each waits as the one before it did
    CHECK(counted_on(0, 2, 10) == said(10, 13));
    CHECK(counted_on(0, 2, 10, 0) == said(0, 11));  // the first turn waits, those after it do not
  }
}
