// Units that serve one after the other those who ask.
#include "sim/engine/server.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <string>
#include <tuple>
#include <vector>

#include "tests/engine/trace.hpp"

using namespace kernbench;

namespace {

/// Asks at `at` for `duration`.
struct Asker {
  int at = 0;
  int duration = 1;
  int turn = 0;
};

Process ask(Calendar& calendar, Trace& trace, Server& server, Asker asker, int number) {
  co_await calendar.until({asker.at});
  co_await server.serve({asker.duration}, asker.turn);
  trace.line(calendar.now(), std::to_string(number));
}

/// Askers start in the order given; the trace says when each goes on.
std::string served(const std::vector<Asker>& askers) {
  return traced([&](Calendar& calendar, Trace& trace) {
    OpChannel log("server", {"vector"});
    Server server(calendar, log);
    std::deque<Process> processes;
    for (std::size_t i = 0; i < askers.size(); ++i) {
      processes.push_back(ask(calendar, trace, server, askers[i], static_cast<int>(i)));
      processes.back().start(calendar);
    }
    calendar.run();
    trace.line(log.busy(), std::to_string(log.records()) + " records");
  });
}

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.18 of those who ask at one instant the lower turn is served first, whoever came first in it") {
    CHECK(served({{10, 5, 2}, {10, 5, 1}, {10, 5, 2}}) == "15 1\n20 0\n25 2\n15 3 records\n");
    CHECK(served({{10, 5, 1}, {9, 5, 2}}) == "14 1\n19 0\n10 2 records\n");
  }

  TEST_CASE("1.18 who has not asked yet does not keep others waiting") {
    // The second asks while the first is served; the third, of a lower turn, asks a picosecond later and is third.
    CHECK(served({{0, 10, 5}, {1, 10, 5}, {2, 10, 0}}) == "10 0\n20 1\n30 2\n30 3 records\n");
    CHECK(served({{7, 0, 0}}) == "7 0\n0 1 records\n");  // at once
  }

  TEST_CASE("1.18 any askers are served in the order of time, turn, asking") {
    CHECK(rc::check([] {
      std::vector<Asker> askers;
      for (int count = *rc::gen::inRange(1, 12); count > 0; --count) {
        askers.push_back({*rc::gen::inRange(0, 8), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 3)});
      }
      std::vector<int> order;
      order.reserve(askers.size());
      for (int i = 0; i < static_cast<int>(askers.size()); ++i) order.push_back(i);
      std::ranges::stable_sort(order, {}, [&](int i) {
        const Asker& asker = askers[static_cast<std::size_t>(i)];
        return std::pair(asker.at, asker.turn);
      });
      Trace expected;
      int free_at = 0;
      int busy = 0;
      for (const int i : order) {
        const Asker& asker = askers[static_cast<std::size_t>(i)];
        free_at = std::max(free_at, asker.at) + asker.duration;
        busy += asker.duration;
        expected.line({free_at}, std::to_string(i));
      }
      expected.line({busy}, std::to_string(askers.size()) + " records");
      RC_ASSERT(served(askers) == expected.text);
    }));
  }
}
