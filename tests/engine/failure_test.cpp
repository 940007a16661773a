// How a run ends that cannot go on: deadlock, time limit, exceptions.
#include <doctest/doctest.h>

#include <array>
#include <coroutine>
#include <functional>
#include <stdexcept>
#include <string>
#include <systemc>

#include "sim/base/check.hpp"
#include "sim/base/errors.hpp"
#include "sim/engine/completion.hpp"
#include "sim/engine/merging_queue.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"
#include "sim/engine/tokens.hpp"
#include "tests/engine/trace.hpp"

using namespace kernbench;

namespace {

struct Fault : std::domain_error {
  using std::domain_error::domain_error;
};

Process ticks(Calendar& calendar, Trace& trace) {
  for (;;) {
    co_await calendar.delay({1});
    trace.line(calendar.now(), "tick");
  }
}

/// A clock that never ends.
class Endless : public sc_core::sc_module {
  SC_HAS_PROCESS(Endless);

 public:
  explicit Endless(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(act);
    sensitive << next_;
  }

 private:
  void act() { next_.notify(sc_core::sc_time::from_value(1000)); }
  sc_core::sc_event next_;
};

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.11 a run ends when nothing is left to happen; who still waits is named with what is missing") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Queue<int> served(calendar, "fetch: tiles");
      Queue<int> starved(calendar, "mac: operands", Phase::kNormal, Consumer::kAtWork);
      Queue<int> idle(calendar, "mac: tiles");
      Tokens slots(calendar, "store: output slots", 2);
      Completion done(calendar, "composite 0");
      const auto good = [&]() -> Process { (void)co_await served.pop(); };
      const auto pops = [&]() -> Process { (void)co_await starved.pop(); };
      const auto rests = [&]() -> Process { (void)co_await idle.pop(); };
      const auto acquires = [&]() -> Process { co_await slots.acquire(5); };
      const auto waits = [&]() -> Process { co_await done.wait(); };
      std::array<Process, 5> processes{good(), pops(), rests(), acquires(), waits()};
      for (Process& process : processes) process.start(calendar);
      served.push(1, {40});
      calendar.run();
      trace.line(calendar.now(), "ended");
      for (const Process& process : processes) trace.text += process.done() ? "done " : "stuck ";
      trace.text += "\n" + calendar.describe_waiting();
    });
    CHECK(text ==
          "40 ended\ndone stuck stuck stuck stuck \n"
          "  mac: operands: empty, and its consumer waits\n"
          "  store: output slots: 3 missing\n"
          "  composite 0: not complete\n");
  }

  TEST_CASE("1.12 a wake-up at the limit is served, one past it ends the run with an error that gives the limit") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Process ticker = ticks(calendar, trace);
      ticker.start(calendar);
      try {
        calendar.run({3});
      } catch (const TimeLimitError& error) {
        trace.text += error.what();
      }
    });
    CHECK(text == "1 tick\n2 tick\n3 tick\nthe simulation passed its time limit of 3 ps");
  }

  TEST_CASE("1.13 an exception of a process ends the run at once, with its type, even beside an endless module") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Endless module("endless");
      const auto fails = [&]() -> Process {
        co_await calendar.until({2500});
        throw Fault("at 2500");
      };
      const auto waits = [&](Picoseconds at) -> Process {
        co_await calendar.until(at);
        trace.line(calendar.now(), "served");
      };
      Process before = waits({2500});
      Process failing = fails();
      Process after = waits({2500});
      Process later = waits({2501});
      for (Process* process : {&before, &failing, &after, &later}) process->start(calendar);
      try {
        calendar.run();
      } catch (const Fault& fault) {
        trace.line(calendar.now(), fault.what());
      }
    });
    CHECK(text == "2500 served\n2500 at 2500\n");
  }

  TEST_CASE("1.16 a broken invariant ends the run with its message, wherever in a process it is met") {
    // A second consumer waits: noticed in an awaitable, below a task, in a process that another one resumes.
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Queue<int> tiles(calendar, "fetch: tiles");
      MergingQueue<int> transfers(calendar, "dma: transfers");
      const auto takes = [&]() -> Task<int> { co_return co_await tiles.pop(); };
      const auto first = [&]() -> Process { (void)co_await tiles.pop(); };
      const auto second = [&]() -> Process {
        (void)co_await transfers.pop();
        (void)co_await takes();
        trace.line(calendar.now(), "went on");
      };
      Process waits = first();
      Process breaks = second();
      Process ticker = ticks(calendar, trace);
      for (Process* process : {&waits, &breaks}) process->start(calendar);
      ticker.start(calendar, {3});
      transfers.push(1, {2});
      try {
        calendar.run();
      } catch (const InvariantError& error) {
        trace.line(calendar.now(), error.what());
      }
    });
    CHECK(text.find("2 kernbench is wrong here: sim/engine/queue.hpp:") == 0);
    CHECK(text.find(": fetch: tiles: a second consumer waits; please report it") != std::string::npos);
    CHECK(text.find("tick") == std::string::npos);
  }

  TEST_CASE("1.16 times that go back and second acquirers are met in release builds") {
    const auto failure = [](const std::function<void(Calendar&)>& work) {
      return traced([&](Calendar& calendar, Trace& trace) {
        try {
          work(calendar);
          calendar.run();
        } catch (const InvariantError& error) {
          trace.text = error.what();
        }
      });
    };
    CHECK(failure([](Calendar& calendar) {
            Queue<int> queue(calendar, "tiles");
            queue.push(1, {5});
            queue.push(2, {4});
          }).find("tiles: an announcement goes back in time") != std::string::npos);
    CHECK(failure([](Calendar& calendar) {
            calendar.schedule(std::noop_coroutine(), {-1});
          }).find("a wake-up is scheduled for the past") != std::string::npos);
    CHECK(failure([](Calendar& calendar) {
            Tokens slots(calendar, "slots", 0);
            const auto acquires = [&]() -> Process { co_await slots.acquire(1); };
            Process one = acquires();
            Process two = acquires();
            one.start(calendar);
            two.start(calendar);
            calendar.run();
          }).find("slots: a second acquirer waits") != std::string::npos);
  }
}
