// The time queue against a std::multimap, over any pattern of pushes during and between services.
#include "sim/engine/time_queue.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>

using namespace kernbench;

namespace {

/// The n-th handle; never resumed.
std::coroutine_handle<> handle(std::uintptr_t n) {
  return std::coroutine_handle<>::from_address(reinterpret_cast<void*>(16 * (n + 1)));  // NOLINT: a mere name
}

/// A multimap keeps equal keys in the order of their insertion: exactly the order that is asked for.
struct Pair {
  TimeQueue queue;
  std::multimap<std::uint64_t, std::coroutine_handle<>> reference;
  std::uintptr_t pushed = 0;

  void push(std::uint64_t key) {
    queue.push(key, handle(pushed));
    reference.emplace(key, handle(pushed++));
  }

  /// Serves the first entry; it causes `pushes` further ones, at most `span` later.
  void serve(int pushes, std::uint64_t span) {
    RC_ASSERT(queue.min_key() == reference.begin()->first);
    const std::uint64_t now = queue.min_key();
    RC_ASSERT(queue.begin_service() == reference.begin()->second);
    reference.erase(reference.begin());
    for (int i = 0; i < pushes; ++i) push(now + *rc::gen::inRange<std::uint64_t>(0, span + 1));
    queue.end_service();
    RC_ASSERT(queue.empty() == reference.empty());
  }
};

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.1 keys come out in ascending order, equal keys in the order of their pushes") {
    CHECK(rc::check("against a multimap", [] {
      Pair both;
      const auto span = *rc::gen::element<std::uint64_t>(0, 1, 3, 1000, 1'000'000'000'000);
      const auto first = *rc::gen::inRange(0, 70);
      for (int i = 0; i < first; ++i) both.push(*rc::gen::inRange<std::uint64_t>(0, span + 1));
      const auto services =
          *rc::gen::container<std::vector<int>>(rc::gen::weightedElement<int>({{8, 1}, {4, 0}, {2, 2}, {1, 5}}));
      for (const int pushes : services) {
        if (both.queue.empty()) both.push(*rc::gen::inRange<std::uint64_t>(0, span + 1));
        both.serve(pushes, span);
      }
      while (!both.queue.empty()) both.serve(0, 0);
      RC_ASSERT(both.reference.empty());
    }));
  }

  TEST_CASE("1.1 the largest key and thousands of entries are served like any other") {
    TimeQueue queue;
    for (std::uintptr_t n = 0; n < 5000; ++n) queue.push(UINT64_MAX - (n % 2), handle(n));
    for (std::uintptr_t n = 0; n < 5000; ++n) {
      REQUIRE(!queue.empty());
      CHECK(queue.begin_service() == handle(n < 2500 ? 2 * n + 1 : 2 * (n - 2500)));
      queue.end_service();
    }
    CHECK(queue.empty());
  }

  TEST_CASE("1.1 a queue that was cleared during a service starts afresh") {
    TimeQueue queue;
    for (std::uintptr_t n = 0; n < 3; ++n) queue.push(n, handle(n));
    CHECK(queue.begin_service() == handle(0));
    queue.clear();
    CHECK(queue.empty());
    queue.push(7, handle(9));
    CHECK(queue.min_key() == 7);
    CHECK(queue.begin_service() == handle(9));
    queue.end_service();
    CHECK(queue.empty());
  }
}
