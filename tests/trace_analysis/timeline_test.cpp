// Where a rank's time went.
#include "benches/traces/tables/timeline.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "benches/traces/tables/intervals.hpp"
#include "tests/trace_analysis/small_trace.hpp"

using kernbench::traces::RankTrace;
using kernbench::traces::Timeline;
using kernbench::traces::timeline_of;

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.13 exposed is what no computation hides") {
    const Timeline timeline = timeline_of(
        read_events({launched("kernel", "gemm", 1, "10", "10"), launched("kernel", "nccl", 2, "15", "10"),
                     launched("gpu_memcpy", "Memcpy", 3, "24", "4"), launched("gpu_memset", "Memset", 4, "40", "1.5")}),
        {});
    CHECK(timeline.gpu_events == 4);
    CHECK(timeline.computation == 11'500'000);
    CHECK(timeline.exposed_communication == 5'000'000);
    CHECK(timeline.exposed_copy == 3'000'000);
    CHECK(timeline.busy == 19'500'000);
    CHECK(timeline.total == 31'500'000);
    CHECK(timeline.idle == 12'000'000);
    CHECK(timeline.communication == 10'000'000);
    CHECK(timeline.overlapped_communication == 5'000'000);
    CHECK(timeline.copy == 4'000'000);
  }

  TEST_CASE("40.13 shares add up to the total, whatever overlaps what") {
    CHECK(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& starts) {
      RC_PRE(!starts.empty());
      const std::vector<std::string> kinds{"gemm", "nccl", "Memcpy"};
      std::vector<std::string> events;
      for (const auto& [start, duration] : starts) {
        const std::size_t kind = (start + duration) % 3U;
        events.push_back(launched(kind == 2 ? "gpu_memcpy" : "kernel", kinds[kind], static_cast<int>(events.size()) + 1,
                                  std::to_string(start), std::to_string(duration), std::to_string(start / 2)));
      }
      const Timeline timeline = timeline_of(read_events(events), {});
      RC_ASSERT(timeline.computation + timeline.exposed_communication + timeline.exposed_copy + timeline.idle ==
                timeline.total);
      RC_ASSERT(timeline.idle_host + timeline.idle_dependency + timeline.idle_gap + timeline.idle_unknown ==
                timeline.idle);
      RC_ASSERT(timeline.idle >= 0);
    }));
  }

  TEST_CASE("40.14 idle is split by what the next event waited for") {
    const Timeline timeline = timeline_of(
        read_events({launched("kernel", "a", 1, "10", "10", "1"),
                     launched("kernel", "launched as the gap began", 2, "21.5", "1", "19", "1"),  // gap of 1.5 µs
                     launched("kernel", "launched later", 3, "25", "1", "22", "0.500001"),        // host, 2.5
                     launched("kernel", "launched long ago", 4, "28", "1", "2", "1"),             // dependency, 2
                     launched("kernel", "launched long ago too", 5, "30.999999", "1", "2", "1"),  // gap, 1.999999
                     event_text("kernel", "no launch", "42", "1")}),
        {.unlinked = true, .steps = {}});
    CHECK(timeline.idle_host == 2'500'000);
    CHECK(timeline.idle_dependency == 2'000'000);
    CHECK(timeline.idle_gap == 1'500'000 + 1'999'999);
    CHECK(timeline.idle_unknown == 10'000'001);
  }
}
