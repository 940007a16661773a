// The ring buffer against a deque.
#include "sim/base/ring_buffer.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <vector>

namespace kernbench {
namespace {

TEST_CASE("a ring buffer holds what a deque holds, however often it goes round and grows") {
  CHECK(rc::check([](const std::vector<int>& actions) {
    const auto less = [](int a, int b) { return a < b; };
    RingBuffer<int> ring;
    std::deque<int> deque;
    for (const int action : actions) {
      if (action % 3 == 0 && !deque.empty()) {
        RC_ASSERT(ring.front() == deque.front());
        RC_ASSERT(ring.pop_front() == deque.front());
        deque.pop_front();
      } else if (action % 3 == 1) {
        ring.insert(action, less);
        auto place = deque.end();
        while (place != deque.begin() && action < *std::prev(place)) --place;
        deque.insert(place, action);
      } else {
        ring.push_back(action);
        deque.push_back(action);
      }
      RC_ASSERT(ring.size() == deque.size());
      RC_ASSERT(ring.empty() == deque.empty());
      for (std::size_t i = 0; i < deque.size(); ++i) RC_ASSERT(ring[i] == deque[i]);
    }
  }));
}

}  // namespace
}  // namespace kernbench
