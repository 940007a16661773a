// Queues whose items are announced before they are there.
#include "sim/engine/queue.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/engine/process.hpp"
#include "tests/engine/trace.hpp"

using namespace kernbench;

namespace {

/// An item is pushed `gap` after the one before it and announced for at least `lead` later.
struct Push {
  int gap;
  int lead;
};

/// The consumer asks not before `offset` from now on and is busy with the item for `work`.
struct Pop {
  int offset;
  int work;
};

Process produce(Calendar& calendar, Queue<int>& queue, std::vector<Push> pushes) {
  Picoseconds last{};
  for (std::size_t i = 0; i < pushes.size(); ++i) {
    co_await calendar.delay({pushes[i].gap});
    last = std::max(last, calendar.now() + Picoseconds{pushes[i].lead});
    queue.push(static_cast<int>(i), last);
  }
}

Process consume(Calendar& calendar, Trace& trace, Queue<int>& queue, std::vector<Pop> pops) {
  for (const Pop& pop : pops) {
    const int item = co_await queue.pop(std::max(Picoseconds{}, calendar.now() + Picoseconds{pop.offset}));
    trace.line(calendar.now(), std::to_string(item));
    co_await calendar.delay({pop.work});
  }
}

/// An item is taken at the latest of: when it is visible, when the consumer asks, its not_before.
std::string expected(const std::vector<Push>& pushes, const std::vector<Pop>& pops) {
  Trace trace;
  std::int64_t pushed = 0;
  std::int64_t visible = 0;
  std::int64_t consumer = 0;
  for (std::size_t i = 0; i < std::min(pushes.size(), pops.size()); ++i) {
    pushed += pushes[i].gap;
    visible = std::max(visible, pushed + pushes[i].lead);
    const std::int64_t taken = std::max({visible, consumer, consumer + pops[i].offset});
    trace.line({taken}, std::to_string(i));
    consumer = taken + pops[i].work;
  }
  return trace.text;
}

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.4 items are taken in order, each at the first instant at which it may be") {
    CHECK(rc::check("random producers and consumers, in either phase", [] {
      const auto range = [](int most) { return rc::gen::inRange(0, most + 1); };
      const auto pushes = *rc::gen::container<std::vector<Push>>(rc::gen::construct<Push>(range(6), range(12)));
      const auto pops =
          *rc::gen::container<std::vector<Pop>>(rc::gen::construct<Pop>(rc::gen::inRange(-5, 10), range(6)));
      const auto phase = *rc::gen::element(Phase::kNormal, Phase::kYielding);
      const bool producer_first = *rc::gen::arbitrary<bool>();
      const std::string text = traced([&](Calendar& calendar, Trace& trace) {
        Queue<int> queue(calendar, "queue", phase);
        Process producer = produce(calendar, queue, pushes);
        Process consumer = consume(calendar, trace, queue, pops);
        (producer_first ? producer : consumer).start(calendar);
        (producer_first ? consumer : producer).start(calendar);
        calendar.run();
      });
      RC_ASSERT(text == expected(pushes, pops));
    }));
  }

  TEST_CASE("1.4 an item visible at t is not taken at t - 1 and is taken at t, on one wake-up") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Queue<int> queue(calendar, "queue", Phase::kNormal, Consumer::kAtWork);
      const auto watch = [&]() -> Process {
        for (const int at : {99, 101}) {
          co_await calendar.until({at});
          trace.line(calendar.now(), queue.waiting().empty() ? "nobody waits without an item" : "somebody waits");
        }
      };
      Process watcher = watch();
      Process consumer = consume(calendar, trace, queue, {{0, 0}, {0, 0}});
      watcher.start(calendar);
      consumer.start(calendar);
      queue.push(7, {100});
      calendar.run();
      trace.line(calendar.now(), "wake-ups " + std::to_string(calendar.wakeups()));
    });
    // Watcher: start, 99, 101. Consumer: start and the item; its second wait is never served.
    CHECK(text == "99 nobody waits without an item\n100 7\n101 somebody waits\n101 wake-ups 5\n");
  }

  TEST_CASE("1.4 a visible item is taken without a wake-up, in the yielding phase with one") {
    const auto wakeups = [](Phase phase) {
      return traced([phase](Calendar& calendar, Trace& trace) {
        Queue<int> queue(calendar, "queue", phase);
        for (int i = 0; i < 5; ++i) queue.push(i);
        Process consumer = consume(calendar, trace, queue, std::vector<Pop>(5, Pop{0, 0}));
        consumer.start(calendar);
        calendar.run();
        trace.line(calendar.now(), "wake-ups " + std::to_string(calendar.wakeups()));
      });
    };
    CHECK(wakeups(Phase::kNormal) == "0 0\n0 1\n0 2\n0 3\n0 4\n0 wake-ups 1\n");
    CHECK(wakeups(Phase::kYielding) == "0 0\n0 1\n0 2\n0 3\n0 4\n0 wake-ups 6\n");
  }

  TEST_CASE("1.4 a yielding consumer takes its item after every normal one of that instant") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Queue<int> yielding(calendar, "yielding", Phase::kYielding);
      Queue<int> normal(calendar, "normal");
      Process first = consume(calendar, trace, yielding, {{0, 0}});
      Process second = consume(calendar, trace, normal, {{0, 0}});
      first.start(calendar);
      second.start(calendar);
      yielding.push(1, {10});
      normal.push(2, {10});
      calendar.run();
    });
    CHECK(text == "10 2\n10 1\n");
  }
}
