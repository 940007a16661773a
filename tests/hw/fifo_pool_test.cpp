// Queues that share one pool: order within each, and slots that are used again.
#include "sim/hw/noc/fifo_pool.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <deque>
#include <set>

using namespace kernbench;

namespace {

/// Where the items of a queue lie.
std::set<const int*> places(const FifoPool<int>& pool, const Fifo& fifo) {
  std::set<const int*> places;
  pool.scan(fifo, [&](const int& item) { return places.insert(&item).second; });
  return places;
}

}  // namespace

TEST_CASE("queues of a pool keep their order, each its own") {
  CHECK(rc::check([] {
    FifoPool<int> pool;
    std::array<Fifo, 3> fifos;
    std::array<std::deque<int>, 3> expected;
    for (const int step : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6))) {
      const auto which = static_cast<std::size_t>(step % 3);
      if (step < 3) {
        pool.push(fifos.at(which), step + 10 * static_cast<int>(expected.at(which).size()));
        expected.at(which).push_back(step + 10 * static_cast<int>(expected.at(which).size()));
      } else if (!expected.at(which).empty()) {
        RC_ASSERT(pool.front(fifos.at(which)) == expected.at(which).front());
        RC_ASSERT(pool.pop(fifos.at(which)) == expected.at(which).front());
        expected.at(which).pop_front();
      }
      RC_ASSERT(fifos.at(which).empty() == expected.at(which).empty());
      RC_ASSERT(FifoPool<int>::only_one(fifos.at(which)) == (expected.at(which).size() == 1));
    }
  }));
}

TEST_CASE("a pool is no larger than what was queued at once, however long it is used") {
  FifoPool<int> pool;
  Fifo fifo;
  for (int item = 0; item < 4; ++item) pool.push(fifo, item);
  const std::set<const int*> first = places(pool, fifo);
  CHECK(first.size() == 4);
  for (int round = 0; round < 100; ++round) {
    for (int item = 0; item < 4; ++item) pool.pop(fifo);
    for (int item = 0; item < 4; ++item) pool.push(fifo, item);
    REQUIRE(places(pool, fifo) == first);
  }
}
