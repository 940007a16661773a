// The order of wake-ups at one instant, and what wakes nobody.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <vector>

#include "sim/engine/completion.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/timed_actions.hpp"
#include "tests/engine/trace.hpp"

using namespace kernbench;

namespace {

/// Awaitable: wakes the process at `at` in `phase`.
struct WakeUp {
  Calendar& calendar;
  Picoseconds at;
  Phase phase = Phase::kNormal;
  [[nodiscard]] static bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> process) const { calendar.schedule(process, at, phase); }
  void await_resume() const {}
};

Process note(Calendar& calendar, Trace& trace, Picoseconds at, Phase phase, std::string name) {
  co_await WakeUp{calendar, at, phase};
  trace.line(calendar.now(), name);
}

/// Notes, then starts what it causes at the same instant.
Process cause(Calendar& calendar, Trace& trace, Picoseconds at, Phase phase, std::string name, Process& effect) {
  co_await WakeUp{calendar, at, phase};
  trace.line(calendar.now(), name);
  effect.start(calendar, at);
}

Process walker(Calendar& calendar, Trace& trace, std::size_t index, std::vector<int> delays) {
  for (const int delay : delays) {
    co_await calendar.delay({delay});
    trace.line(calendar.now(), std::to_string(index));
  }
}

Task<int> sum_after(Calendar& calendar, int a, int b) {
  co_await calendar.delay({5});
  co_return a + b;
}

Task<int> fails_at_once() {
  throw std::out_of_range("task");
  co_return 0;
}

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.1 time decides first, then the order of scheduling") {
    CHECK(rc::check("processes with random delays against a sorted list", [] {
      const auto delays = *rc::gen::container<std::vector<std::vector<int>>>(
          rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4)));
      const std::string text = traced([&delays](Calendar& calendar, Trace& trace) {
        std::deque<Process> processes;
        for (std::size_t i = 0; i < delays.size(); ++i) {
          processes.push_back(walker(calendar, trace, i, delays[i]));
          processes.back().start(calendar);
        }
        calendar.run();
      });
      // The reference keeps a plain list and picks the earliest, first scheduled entry each time.
      struct Entry {
        std::int64_t at;
        std::size_t walker;
        std::size_t step;
      };
      std::vector<Entry> list;
      Trace expected;
      for (std::size_t i = 0; i < delays.size(); ++i) list.push_back({0, i, 0});
      while (!list.empty()) {
        const auto first =
            std::min_element(list.begin(), list.end(), [](const Entry& a, const Entry& b) { return a.at < b.at; });
        Entry entry = *first;
        list.erase(first);
        const std::vector<int>& of = delays[entry.walker];
        if (entry.step > 0) expected.line({entry.at}, std::to_string(entry.walker));
        // A delay of nothing is over at once.
        while (entry.step < of.size() && of[entry.step] == 0) {
          ++entry.step;
          expected.line({entry.at}, std::to_string(entry.walker));
        }
        if (entry.step < of.size()) list.push_back({entry.at + of[entry.step], entry.walker, entry.step + 1});
      }
      RC_ASSERT(text == expected.text);
    }));
  }

  TEST_CASE("1.1 ten thousand processes keep their order") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      std::deque<Process> processes;
      for (int i = 0; i < 10'000; ++i) {
        processes.push_back(note(calendar, trace, {1 + i % 7}, Phase::kNormal, std::to_string(i)));
        processes.back().start(calendar);
      }
      calendar.run();
      trace.line(calendar.now(), "wake-ups " + std::to_string(calendar.wakeups()));
    });
    Trace expected;
    for (int at = 1; at <= 7; ++at) {
      for (int i = at - 1; i < 10'000; i += 7) expected.line({at}, std::to_string(i));
    }
    expected.line({7}, "wake-ups 20000");
    CHECK(text == expected.text);
  }

  TEST_CASE("1.2 a normal wake-up, even one caused at the same instant, precedes every yielding one") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Process effect = note(calendar, trace, {10}, Phase::kNormal, "effect of normal");
      Process first = note(calendar, trace, {10}, Phase::kYielding, "yielding");
      Process second = cause(calendar, trace, {10}, Phase::kNormal, "normal", effect);
      Process third = note(calendar, trace, {9}, Phase::kYielding, "yielding before");
      first.start(calendar);
      second.start(calendar);
      third.start(calendar);
      calendar.run();
    });
    CHECK(text == "9 yielding before\n10 normal\n10 effect of normal\n10 yielding\n");
  }

  TEST_CASE("1.2 choosing wake-ups come between the normal ones and the yielding ones") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Process effect = note(calendar, trace, {10}, Phase::kNormal, "effect of normal");
      Process late = note(calendar, trace, {10}, Phase::kNormal, "effect of choosing");
      Process first = note(calendar, trace, {10}, Phase::kYielding, "yielding");
      Process second = cause(calendar, trace, {10}, Phase::kChoosing, "choosing", late);
      Process third = note(calendar, trace, {10}, Phase::kChoosing, "choosing too");
      Process fourth = cause(calendar, trace, {10}, Phase::kNormal, "normal", effect);
      for (Process* process : {&first, &second, &third, &fourth}) process->start(calendar);
      calendar.run();
    });
    CHECK(text == "10 normal\n10 effect of normal\n10 choosing\n10 choosing too\n10 effect of choosing\n10 yielding\n");
  }

  TEST_CASE("1.2 what a yielding wake-up causes at its instant comes after the yielding ones already there") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Process effect = note(calendar, trace, {10}, Phase::kNormal, "effect");
      Process first = cause(calendar, trace, {10}, Phase::kYielding, "first", effect);
      Process second = note(calendar, trace, {10}, Phase::kYielding, "second");
      Process later = note(calendar, trace, {11}, Phase::kNormal, "later");
      first.start(calendar);
      second.start(calendar);
      later.start(calendar);
      calendar.run();
    });
    CHECK(text == "10 first\n10 second\n10 effect\n11 later\n");
  }

  TEST_CASE("1.3 waiting for a time that is not in the future costs no wake-up and does not lose the turn") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      const auto body = [&](const char* name) -> Process {
        co_await calendar.until({5});
        co_await calendar.until({5});
        co_await calendar.until({4});
        co_await calendar.delay({});
        trace.line(calendar.now(), name);
      };
      Process one = body("one");
      Process two = body("two");
      one.start(calendar);
      two.start(calendar);
      calendar.run();
      trace.line(calendar.now(), "wake-ups " + std::to_string(calendar.wakeups()));
    });
    CHECK(text == "5 one\n5 two\n5 wake-ups 4\n");
  }

  TEST_CASE("1.6 everybody who waits for a completion goes on at its announced time, in the order of waiting") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Completion done(calendar, "work");
      const auto waiter = [&](const char* name, Picoseconds from) -> Process {
        co_await calendar.until(from);
        co_await done.wait();
        trace.line(calendar.now(), name);
      };
      const auto worker = [&]() -> Process {
        co_await calendar.until({3});
        done.complete({10});
      };
      Process early = waiter("waits before the announcement", {2});
      Process earlier = waiter("waits first", {1});
      Process between = waiter("waits after the announcement", {9});
      Process edge = waiter("comes at the time", {10});
      Process late = waiter("comes after the time", {11});
      Process work = worker();
      for (Process* process : {&early, &earlier, &between, &edge, &late, &work}) process->start(calendar);
      calendar.run();
      // Three processes wait: 3 wake-ups each. Two come when it is done, one announces: 2 each.
      trace.line(calendar.now(), "wake-ups " + std::to_string(calendar.wakeups()));
    });
    CHECK(text ==
          "10 comes at the time\n10 waits first\n10 waits before the announcement\n10 waits after the announcement\n"
          "11 comes after the time\n11 wake-ups 15\n");
  }

  TEST_CASE("1.7 a task runs without a wake-up of its own and hands back its value or its exception") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      const auto body = [&]() -> Process {
        const int sum = co_await sum_after(calendar, 2, 3);
        trace.line(calendar.now(), std::to_string(sum));
        try {
          co_await fails_at_once();
        } catch (const std::out_of_range& error) {
          trace.line(calendar.now(), error.what());
        }
      };
      Process process = body();
      process.start(calendar);
      calendar.run();
      trace.line(calendar.now(), "wake-ups " + std::to_string(calendar.wakeups()));
    });
    CHECK(text == "5 5\n5 task\n5 wake-ups 2\n");
  }

  TEST_CASE("1.8 observers act in order at their times and move nobody else") {
    const auto run = [](bool observed) {
      return traced([observed](Calendar& calendar, Trace& trace) {
        std::string seen;
        std::optional<TimedActions> observer;
        if (observed) observer.emplace(calendar);
        const auto body = [&](int step) -> Process {
          for (int i = 0; i < 3; ++i) {
            co_await calendar.delay({step});
            trace.line(calendar.now(), std::to_string(step));
          }
        };
        if (observer) {
          for (const int at : {2, 4, 4, 7}) {
            observer->at({at}, [&seen, &calendar, at] {
              if (calendar.now() == Picoseconds{at}) seen += std::to_string(at) + ";";
            });
          }
        }
        Process two = body(2);
        Process three = body(3);
        two.start(calendar);
        three.start(calendar);
        calendar.run();
        if (observed && seen != "2;4;4;7;") trace.line(calendar.now(), "observer saw " + seen);
      });
    };
    CHECK(run(false) == "2 2\n3 3\n4 2\n6 3\n6 2\n9 3\n");
    CHECK(run(true) == run(false));
  }
}
