// The checker sees every kind of mistake: each test breaks one thing of a right schedule.
#include "sim/plan/collective/check.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "sim/plan/collective/algorithm.hpp"

using namespace kernbench;

namespace {

CollectiveStep step(StepKind kind, std::int32_t peer, ElementRange range, std::int16_t channel = 0) {
  return {kind, 0, channel, peer, range.first, range.count, 0};
}
CollectiveStep send(std::int32_t peer, ElementRange range, std::int16_t channel = 0) {
  return step(StepKind::kSend, peer, range, channel);
}
CollectiveStep take(std::int32_t peer, ElementRange range, std::int16_t channel = 0) {
  return step(StepKind::kReceive, peer, range, channel);
}
CollectiveStep add(std::int32_t peer, ElementRange range, std::int16_t channel = 0) {
  return step(StepKind::kReduce, peer, range, channel);
}

constexpr ElementRange kAll{0, 4};

/// Two ranks, 4 elements.
CollectiveSchedule schedule_of(Collective collective, std::vector<std::vector<CollectiveThread>> ranks) {
  CollectiveSchedule schedule;
  schedule.collective = collective;
  schedule.count = 4;
  schedule.elements = 4;
  schedule.ranks = std::move(ranks);
  return schedule;
}

std::string fault(Collective collective, std::vector<std::vector<CollectiveThread>> ranks) {
  return schedule_fault(schedule_of(collective, std::move(ranks)), 1);
}

std::string all_reduce(CollectiveThread first, CollectiveThread second) {
  return fault(Collective::kAllReduce, {{std::move(first)}, {std::move(second)}});
}

}  // namespace

TEST_SUITE("ADR-0018") {
  TEST_CASE("18.2 a message that is not sent, not taken or of another length") {
    CHECK(all_reduce({send(1, kAll), add(1, kAll)}, {send(0, kAll), add(0, kAll)}).empty());
    CHECK(all_reduce({add(1, kAll), send(1, kAll)}, {add(0, kAll), send(0, kAll)}) ==
          "rank 0, thread 0, step 0: waits for ever");
    CHECK(all_reduce({send(1, kAll), send(1, kAll), add(1, kAll)}, {send(0, kAll), add(0, kAll)}) ==
          "rank 1 leaves a message of rank 0");
    CHECK(all_reduce({send(1, {0, 3}), add(1, kAll)}, {send(0, kAll), add(0, kAll)}) ==
          "rank 1, thread 0, step 1: takes 4 elements from a message of 3");
    CHECK(all_reduce({send(1, kAll, 1), add(1, kAll)}, {send(0, kAll), add(0, kAll)}) ==
          "rank 1, thread 0, step 1: waits for ever");
  }

  TEST_CASE("18.2 a range, a peer or a phase that does not exist") {
    const std::string range = "rank 0, thread 0, step 0: a range outside the buffer, or empty";
    CHECK(all_reduce({send(1, {0, 5})}, {}) == range);
    CHECK(all_reduce({send(1, {-1, 2})}, {}) == range);
    CHECK(all_reduce({send(1, {2, 0})}, {}) == range);
    const std::string peer = "rank 0, thread 0, step 0: a peer that is no other rank";
    CHECK(all_reduce({send(0, kAll)}, {}) == peer);
    CHECK(all_reduce({send(2, kAll)}, {}) == peer);
    CHECK(all_reduce({send(-1, kAll)}, {}) == peer);
    CollectiveStep late = send(1, kAll);
    late.phase = 1;
    CHECK(all_reduce({late}, {}) == "rank 0, thread 0, step 0: a phase that has no name");
    CollectiveStep copy = step(StepKind::kCopy, -1, {0, 2});
    copy.from = 3;
    CHECK(all_reduce({copy}, {}) == range);
  }

  TEST_CASE("18.2 two threads at one end of a channel") {
    CHECK(
        fault(Collective::kBroadcast, {{{send(1, {0, 2})}, {send(1, {2, 2})}}, {{take(0, {0, 2}), take(0, {2, 2})}}}) ==
        "rank 0, thread 1, step 0: a channel that another thread uses");
    CHECK(
        fault(Collective::kBroadcast, {{{send(1, {0, 2}), send(1, {2, 2})}}, {{take(0, {0, 2})}, {take(0, {2, 2})}}}) ==
        "rank 1, thread 1, step 0: a channel that another thread uses");
    CHECK(fault(Collective::kBroadcast,
                {{{send(1, {0, 2}, 0)}, {send(1, {2, 2}, 1)}}, {{take(0, {0, 2}, 0)}, {take(0, {2, 2}, 1)}}})
              .empty());
  }

  TEST_CASE("18.2 threads that may touch an element at the same time") {
    // Rank 1's message may come before thread 0 has sent element 3, or after.
    CHECK(fault(Collective::kBroadcast, {{{send(1, {0, 2}), send(1, {2, 2})}, {take(1, {3, 1}, 1)}},
                                         {{send(0, {3, 1}, 1), take(0, {0, 2}), take(0, {2, 2})}}}) ==
          "rank 0, thread 1, step 0: races with thread 0 at element 3");
    // Ordered by the messages: what thread 1 takes was sent after all that thread 0 does had arrived.
    CHECK(fault(Collective::kReduce, {{{send(1, kAll)}, {take(1, kAll, 1)}}, {{add(0, kAll), send(0, kAll, 1)}}})
              .empty());
  }

  TEST_CASE("18.4 an element that lacks a part, has one twice, or is another one") {
    const std::string wrong = "rank 0 ends with a wrong element ";
    CHECK(all_reduce({}, {}) == wrong + "0");
    CHECK(all_reduce({send(1, kAll), add(1, {0, 3})}, {send(0, {0, 3}), add(0, kAll)}) == wrong + "3");
    CHECK(all_reduce({send(1, kAll), add(1, kAll), add(1, kAll)}, {send(0, kAll), send(0, kAll), add(0, kAll)}) ==
          wrong + "0");
    CHECK(all_reduce({send(1, kAll), take(1, kAll)}, {send(0, kAll), add(0, kAll)}) == wrong + "0");
    CHECK(all_reduce({send(1, {0, 2}), send(1, {2, 2}), add(1, {2, 2}), add(1, {0, 2})},
                     {send(0, {0, 2}), send(0, {2, 2}), add(0, {0, 2}), add(0, {2, 2})}) == wrong + "0");
  }
}
