// Queues whose items are announced in any order.
#include "sim/engine/merging_queue.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "sim/engine/process.hpp"
#include "tests/engine/trace.hpp"

using namespace kernbench;

namespace {

/// Announced at `told` for `at`.
struct Item {
  int told;
  int at;
};

Process produce(Calendar& calendar, MergingQueue<int>& queue, const std::vector<Item>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    co_await calendar.until({items[i].told});
    queue.push(static_cast<int>(i), {items[i].at});
  }
}

/// Takes `count` items and is busy with each for `work`.
Process consume(Calendar& calendar, Trace& trace, MergingQueue<int>& queue, std::size_t count, int work) {
  Picoseconds free_at{1};
  for (std::size_t i = 0; i < count; ++i) {
    const int item = co_await queue.pop(free_at);
    trace.line(calendar.now(), std::to_string(item));
    free_at = calendar.now() + Picoseconds{work};
  }
}

std::string merged(const std::vector<Item>& items, int work) {
  return traced([&](Calendar& calendar, Trace& trace) {
    MergingQueue<int> queue(calendar, "queue");
    Process producer = produce(calendar, queue, items);
    Process consumer = consume(calendar, trace, queue, items.size(), work);
    consumer.start(calendar);
    producer.start(calendar);
    calendar.run();
  });
}

/// Picosecond by picosecond: whenever the consumer is free it looks at all that it has been told of.
std::string looked_up(const std::vector<Item>& items, int work) {
  Trace trace;
  std::vector<bool> taken(items.size());
  int free_at = 1;
  std::size_t left = items.size();
  for (int now = 0; left > 0; ++now) {
    if (now < free_at) continue;
    std::size_t best = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (taken[i] || items[i].told > now || items[i].at > now) continue;
      if (best == items.size() || items[i].at < items[best].at) best = i;
    }
    if (best == items.size()) continue;
    taken[best] = true;
    --left;
    trace.line({now}, std::to_string(best));
    free_at = now + std::max(work, 1);
  }
  return trace.text;
}

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.15 items of one time leave in the order of their turns, told of when they may be before it is chosen") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      MergingQueue<int> queue(calendar, "queue", Phase::kChoosing);
      const auto push = [&](int item, int turn) -> Process {
        co_await calendar.until({10});
        queue.push(item, {10}, turn);
      };
      queue.push(0, {10}, 2);
      Process consumer = consume(calendar, trace, queue, 4, 0);
      Process first = push(1, 1);
      Process second = push(2, 1);
      Process third = push(3, 0);
      consumer.start(calendar);
      for (Process* process : {&first, &second, &third}) process->start(calendar);
      calendar.run();
    });
    CHECK(text == "10 3\n10 1\n10 2\n10 0\n");
  }

  TEST_CASE("1.15 an item announced late for an earlier time is taken at its own time") {
    CHECK(merged({{0, 9}, {2, 5}}, 2) == "5 1\n9 0\n");
    CHECK(merged({{0, 9}, {8, 9}}, 2) == "9 0\n11 1\n");
    CHECK(merged({{0, 9}, {8, 10}}, 2) == "9 0\n11 1\n");
    CHECK(merged({{0, 3}, {4, 20}, {6, 7}}, 2) == "3 0\n7 2\n20 1\n");
  }

  TEST_CASE("1.15 items leave in the order of their times, whatever the order of their announcement") {
    // Announcements at even instants, everything else at odd ones: nothing depends on the order within an instant.
    CHECK(rc::check([] {
      const auto gaps = *rc::gen::container<std::vector<std::tuple<int, int>>>(
          rc::gen::tuple(rc::gen::inRange(0, 6), rc::gen::inRange(0, 20)));
      std::vector<Item> items;
      int told = 0;
      for (const auto& gap : gaps) {
        told += 2 * std::get<0>(gap);
        items.push_back({told, told + 1 + 2 * std::get<1>(gap)});
      }
      const int work = 2 * *rc::gen::inRange(1, 6);
      RC_ASSERT(merged(items, work) == looked_up(items, work));
    }));
  }
}
