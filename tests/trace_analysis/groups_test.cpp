// Process groups without names: told apart by size and time, or left over with a word.
#include <doctest/doctest.h>

#include <filesystem>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/collective_notes.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/trace_analysis/several_ranks.hpp"

using kernbench::traces::collective_notes;
using kernbench::traces::left_over_table;
using kernbench::traces::PlacedTrace;
using kernbench::traces::timed_groups;

namespace {

using Texts = std::vector<std::string>;

/// Of a run of as many ranks as there are.
std::vector<PlacedTrace> whole_run(const std::vector<RankEvents>& ranks, std::int64_t world_size = 0) {
  std::vector<PlacedTrace> traces;
  const auto size = world_size > 0 ? world_size : std::ssize(ranks);
  for (const RankEvents& rank : ranks) traces.push_back(rank.placed(std::ssize(traces), {}, run_fields(size)));
  return traces;
}

/// "" where there is none.
std::string reason_of(const std::vector<PlacedTrace>& traces) {
  const Texts reasons = column_of(left_over_table(traces, timed_groups(traces, {})), "reason");
  return reasons.empty() ? "" : reasons.front();
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.32 two groups of equal size at different times are two, with waits and a bandwidth of their own") {
    const std::vector<PlacedTrace> traces =
        whole_run({RankEvents().nameless(100, 60, 2), RankEvents().nameless(110, 50, 2),
                   RankEvents().nameless(400, 70, 2), RankEvents().nameless(420, 50, 2)});
    CHECK(of_collectives(traces, "ranks") == Texts{"2", "2"});
    CHECK(of_collectives(traces, "group_ranks") == Texts{"[0, 1] by time", "[2, 3] by time"});
    CHECK(of_collectives(traces, "start_skew_us") == Texts{"10", "20"});
    CHECK(of_collectives(traces, "latency_us") == Texts{"50", "50"});
    CHECK(of_collectives(traces, "busbw_gbs") == Texts{"0.04", "0.04"});
    CHECK(of_collectives(traces, "last_rank") == Texts{"1", "3"});
    CHECK(reason_of(traces).empty());
    CHECK(mentions(collective_notes(timed_groups(traces, {})).front(), "2 collectives of groups without names"));
  }

  TEST_CASE("40.32 groups of equal size at once are left over with the reason; one time apart tells them apart") {
    std::vector<RankEvents> ranks(4);
    for (int i = 0; i < 5; ++i) {
      for (int rank = 0; rank < 4; ++rank) ranks[static_cast<std::size_t>(rank)].nameless(1000.0 * i + rank, 90, 2);
    }
    const std::vector<PlacedTrace> at_once = whole_run(ranks);
    CHECK(of_collectives(at_once, "ranks").empty());
    CHECK(of_ranks(at_once, "straggler").empty());
    CHECK(timed_groups(at_once, {}).front().group.left_over.size() == 20);
    CHECK(mentions(reason_of(at_once), "4 ranks run such at one time: which 2 are together is not recorded"));
    // Once more: ranks 1 and 2 with a delay that makes their group other than that of 0 and 3.
    for (int rank = 0; rank < 4; ++rank) {
      ranks[static_cast<std::size_t>(rank)].nameless(rank == 1 || rank == 2 ? 8000 : 7000, 90, 2);
    }
    const std::vector<PlacedTrace> once_apart = whole_run(ranks);
    CHECK(of_collectives(once_apart, "group_ranks").front() == "[0, 3] by time");
    CHECK(of_collectives(once_apart, "group_ranks").back() == "[1, 2] by time");
    CHECK(of_collectives(once_apart, "ranks") == Texts(12, "2"));
  }

  TEST_CASE("40.32 groups of different sizes interleaved are told apart by size; the run's size is all ranks") {
    std::vector<RankEvents> ranks(4);
    for (int rank = 0; rank < 4; ++rank) {
      RankEvents& events = ranks[static_cast<std::size_t>(rank)];
      const double pair = rank < 2 ? 0 : 1000;
      events.nameless(100 + pair, 50, 2).nameless(3000 + rank, 80, 4).nameless(5000 + pair, 40, 2);
      events.nameless(8000 + rank, 80, 4);
    }
    const std::vector<PlacedTrace> traces = whole_run(ranks);
    CHECK(of_collectives(traces, "ranks") == Texts{"2", "2", "2", "2", "4", "4"});
    CHECK(of_collectives(traces, "group_ranks") ==
          Texts{"[0, 1] by time", "[0, 1] by time", "[2, 3] by time", "[2, 3] by time", "", ""});
    CHECK(of_collectives(traces, "start_skew_us") == Texts{"0", "0", "0", "0", "3", "3"});
    CHECK(reason_of(traces).empty());
  }

  TEST_CASE("40.32 what overlaps in part, or in a chain, is no group; ranks that alone have a size or kind are one") {
    // 0 with 1, 1 with 2, 2 with 3, each overlapping by 200 µs.
    std::vector<RankEvents> chain(4);
    for (int rank = 0; rank < 4; ++rank) chain[static_cast<std::size_t>(rank)].nameless(800.0 * rank, 1000, 2);
    CHECK(of_collectives(whole_run(chain), "ranks").empty());
    // No rank but 0 and 2 has a broadcast of two ranks, whenever they run it.
    std::vector<RankEvents> alone(4, RankEvents().kernel("relu", 0, 1));
    alone[0].nameless(100, 5, 2, "broadcast");
    alone[2].nameless(900, 5, 2, "broadcast");
    CHECK(of_collectives(whole_run(alone), "group_ranks") == Texts{"[0, 2] by time"});
    for (RankEvents& events : alone) events.nameless(5000, 5, 2, "broadcast");
    CHECK(of_collectives(whole_run(alone), "ranks").empty());
    CHECK(mentions(reason_of(whole_run(alone)), "need not run it at one time"));
    // Three of them, of which one comes when no other does.
    std::vector<RankEvents> late(4, RankEvents().kernel("relu", 0, 1));
    for (const std::size_t rank : {0U, 1U, 3U}) late[rank].nameless(rank == 3 ? 9000 : 100, 50, 2);
    const std::vector<PlacedTrace> traces = whole_run(late);
    CHECK(of_collectives(traces, "group_ranks") == Texts{"[0, 1] by time"});
    CHECK(reason_of(traces) == "its group has no name, and no 2 ranks run it at one time");
  }

  TEST_CASE("40.32 a file that is missing leaves them over; clocks that other groups set count") {
    const std::vector<RankEvents> two{RankEvents().nameless(100, 50, 2), RankEvents().nameless(110, 40, 2)};
    CHECK(of_collectives(whole_run(two, 4), "ranks").empty());
    CHECK(mentions(reason_of(whole_run(two, 4)), "not all ranks of the run are there"));
    CHECK(of_collectives(whole_run(two), "ranks") == Texts{"2"});
    // Rank 3's clock is 5 ms off, as the all_reduce of all says.
    std::vector<PlacedTrace> traces;
    for (int rank = 0; rank < 4; ++rank) {
      const RankEvents events = RankEvents().nameless(3000, 80, 4).nameless(rank < 2 ? 100 : 1000, 50, 2);
      traces.push_back(events.placed(rank, {}, run_fields(4, rank == 3 ? 6'000'000 : 1'000'000)));
    }
    CHECK(of_collectives(traces, "group_ranks") == Texts{"[0, 1] by time", "[2, 3] by time", ""});
  }

  TEST_CASE("40.32 a name that more ranks have than its size says; kernels that say nothing at all") {
    std::vector<RankEvents> named(4);
    for (int rank = 0; rank < 4; ++rank) {
      named[static_cast<std::size_t>(rank)].collective(rank < 2 ? 100 : 900, 50, {"allreduce", 5, -1, 2, "tp", ""});
    }
    CHECK(of_collectives(whole_run(named), "ranks") == Texts{"2", "2"});
    CHECK(of_collectives(whole_run(named), "group") == Texts{"tp", "tp"});
    const auto kernels = [](double apart) {
      std::vector<RankEvents> ranks(3);
      for (int rank = 0; rank < 3; ++rank) {
        ranks[static_cast<std::size_t>(rank)].kernel("ncclKernel_AllReduce_RING_LL", 100 + (rank < 2 ? 0 : apart), 50);
      }
      return whole_run(ranks);
    };
    CHECK(of_collectives(kernels(20), "ranks") == Texts{"3"});
    CHECK(mentions(collective_notes(timed_groups(kernels(20), {})).front(), "of which no group is recorded"));
    CHECK(of_collectives(kernels(900), "ranks").empty());
    CHECK(mentions(reason_of(kernels(900)), "no group is recorded, and the ranks do not run it at one time"));
  }

  TEST_CASE("40.32 as old profilers wrote it: a size, and no name") {
    const std::filesystem::path folder = kernbench::source_dir() + "/../shared/data/public/01-group-size";
    if (!std::filesystem::exists(folder)) {
      MESSAGE("skipped: there is no ../shared/data/public beside the source tree");
      return;
    }
    const auto traces = kernbench::traces::read_traces(kernbench::traces::find_trace_files({folder}, ""), {});
    CHECK(of_collectives(traces, "ranks") == Texts{"2", "2"});
    CHECK(of_collectives(traces, "start_skew_us") == Texts{"10", "20"});
    CHECK(of_collectives(traces, "busbw_gbs") == Texts{"41.94304", "41.94304"});
    CHECK(of_ranks(traces, "others_wait_us") == Texts{"0", "10", "0", "20"});
  }
}
