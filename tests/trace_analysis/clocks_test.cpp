// Clocks of ranks by the ends of their collectives: what is moved, what is said, what is not known.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/collective_notes.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/trace_analysis/several_ranks.hpp"

using kernbench::traces::collective_notes;
using kernbench::traces::ends_together;
using kernbench::traces::PlacedTrace;
using kernbench::traces::put_in_order;
using kernbench::traces::timed_groups;

namespace {

using Texts = std::vector<std::string>;

constexpr std::int64_t kBaseNs = 1'000'000'000;
constexpr int kClocked = 4;

/// Four ranks, eight all_reduces of 400 µs; `late` starts `by` µs after the others; ends within 20 µs of each other.
std::vector<PlacedTrace> clocked_run(int late, double by, const std::vector<std::int64_t>& clocks_ns) {
  std::vector<PlacedTrace> traces;
  for (int rank = 0; rank < kClocked; ++rank) {
    RankEvents events;
    for (int i = 0; i < 8; ++i) {
      const double start = 3000.0 * i + 100 * i * i + (rank == late ? by : 7.0 * ((rank + i) % 3));
      const double end = 3000.0 * i + 100 * i * i + by + 400 + 10.0 * ((2 * rank + i) % 3 - 1);
      events.collective(start, end - start, {"allreduce", 1000, -1, kClocked, "0", "[0, 1, 2, 3]"});
    }
    const auto clock = clocks_ns[static_cast<std::size_t>(rank)];
    traces.push_back(events.placed(rank, {}, run_fields(kClocked, kBaseNs + clock)));
  }
  return traces;
}

bool is_said(const std::vector<PlacedTrace>& traces, const std::string& words) {
  for (const std::string& note : collective_notes(timed_groups(traces, {}))) {
    if (note.find(words) != std::string::npos) return true;
  }
  return false;
}

void check_near(const Texts& got, const Texts& expected, double most) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(std::stod(got[i]) - std::stod(expected[i])) <= most);
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.31 a rank whose kernel is over before the last one begins has not waited for it") {
    const auto run = [](double apart, const std::string& kind) {
      std::vector<PlacedTrace> traces;
      for (int rank = 0; rank < kClocked; ++rank) {
        RankEvents events;
        for (int i = 0; i < 8; ++i) {
          events.collective(20'000.0 * i + apart * rank, 200, {kind, 1000, -1, kClocked, "0", "[0, 1, 2, 3]"});
        }
        traces.push_back(events.placed(rank, {}, run_fields(kClocked, kBaseNs)));
      }
      return traces;
    };
    for (const char* kind : {"broadcast", "all_to_all", "reduce"}) {
      CHECK(of_ranks(run(3000, kind), "straggler") == Texts(kClocked, "not known"));
      CHECK(is_said(run(3000, kind), "8 collectives of which a rank's kernel is over before the last one begins"));
      CHECK(of_ranks(run(99, kind), "straggler") == Texts{"", "", "", "straggler"});  // by 97 µs
      CHECK_FALSE(is_said(run(99, kind), "is over before"));
    }
  }

  TEST_CASE("40.31 a rank's clock that is off changes no verdict, and waits by no more than ends differ") {
    const std::vector<PlacedTrace> right = clocked_run(1, 250, {0, 0, 0, 0});
    CHECK(of_ranks(right, "straggler") == Texts{"", "straggler", "", ""});
    CHECK_FALSE(is_said(right, "clock"));
    for (const std::int64_t off_ns : {500'000, 5'000'000, -300'000, 1'234'567, -130'000'000}) {
      for (std::size_t rank = 0; rank < kClocked; ++rank) {
        CAPTURE(off_ns);
        CAPTURE(rank);
        std::vector<std::int64_t> clocks(kClocked);
        clocks[rank] = off_ns;
        const std::vector<PlacedTrace> off = clocked_run(1, 250, clocks);
        for (const char* column : {"straggler", "times_last"}) CHECK(of_ranks(off, column) == of_ranks(right, column));
        CHECK(of_collectives(off, "last_rank") == Texts(8, "1"));
        check_near(of_ranks(off, "mean_wait_us"), of_ranks(right, "mean_wait_us"), 20);
        check_near(of_collectives(off, "start_skew_us"), of_collectives(right, "start_skew_us"), 20);
        check_near(of_collectives(off, "end_skew_us"), of_collectives(right, "end_skew_us"), 20);
        const Texts shifts = of_ranks(off, "clock_shift_us");
        for (std::size_t other = 0; other < kClocked; ++other) {
          const double moved = other == rank ? -static_cast<double>(off_ns) / 1000 : 0;
          CHECK(std::abs(std::stod(shifts[other]) - moved) <= 20);
        }
        CHECK(is_said(off, "its clock is another's: its 8 collectives end "));
      }
    }
  }

  TEST_CASE("40.31 another host: two ranks beside two, and one that is joined to the others through a third") {
    const std::vector<PlacedTrace> hosts = clocked_run(3, 250, {0, 0, 700'000, 700'000});
    CHECK(of_ranks(hosts, "straggler") == Texts{"", "", "", "straggler"});
    CHECK(is_said(hosts, "; and 1 other file alike"));
    // Rank 2 has a group with rank 1 alone, whose clock is rank 0's.
    const RankEvents::Signature near{"allreduce", 1000, -1, 2, "1", "[0, 1]"};
    const RankEvents::Signature far{"allreduce", 1000, -1, 2, "2", "[1, 2]"};
    const std::vector<PlacedTrace> joined{
        RankEvents().collective(100, 50, near).placed(0, {}, run_fields(3, kBaseNs)),
        RankEvents().collective(110, 40, near).collective(500, 80, far).placed(1, {}, run_fields(3, kBaseNs)),
        RankEvents().collective(520, 60, far).placed(2, {}, run_fields(3, kBaseNs - 900'000))};
    CHECK(of_ranks(joined, "clock_shift_us") == Texts{"0", "0", "0", "900"});
    CHECK(of_collectives(joined, "start_skew_us") == Texts{"10", "20"});
  }

  TEST_CASE("40.31 what one host shows too is no clock; broadcasts, sends and all_to_all say nothing of clocks") {
    const std::vector<PlacedTrace> near = clocked_run(1, 250, {0, 0, 60'000, 0});
    CHECK(of_ranks(near, "clock_shift_us") == Texts(4, "0"));
    CHECK_FALSE(is_said(near, "clock"));
    for (const char* kind : {"broadcast", "_reduce_oop", "all_to_all", "all_to_allv", "send"}) {
      CHECK_FALSE(ends_together(kind));
      RankEvents root;
      RankEvents other;
      for (int i = 0; i < 4; ++i) {
        root.collective(9000.0 * i, 2500, {kind});
        other.collective(9000.0 * i + 2000, 60, {kind});
      }
      const std::vector<PlacedTrace> early{root.placed(0), other.placed(1)};
      CHECK(of_ranks(early, "clock_shift_us") == Texts{"0", "0"});
      CHECK(of_ranks(early, "wait_us") == Texts{"8000", "0"});
    }
    for (const char* kind : {"allreduce_coalesced", "_allgather_base", "reduce_scatter_tensor_coalesced", "barrier",
                             "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)"}) {
      CHECK(ends_together(kind));
    }
  }

  TEST_CASE(
      "40.31 ends that no one difference explains: waits, last ranks and verdicts are not known, and that is said") {
    RankEvents one;
    RankEvents other;
    const std::vector<double> differences{300, -2500, 900, 4000, -1200, 2200};
    for (int i = 0; i < 6; ++i) {
      one.collective(20'000.0 * i, 100);
      other.collective(20'000.0 * i + differences[static_cast<std::size_t>(i)], 80);
    }
    const std::vector<PlacedTrace> traces{one.placed(0), other.placed(1)};
    CHECK(of_ranks(traces, "straggler") == Texts{"not known", "not known"});
    for (const char* column : {"wait_us", "times_last", "others_wait_us", "kept_by"}) {
      CHECK(of_ranks(traces, column) == Texts{"", ""});
    }
    for (const char* column : {"start_skew_us", "end_skew_us", "last_rank", "wait_rank1_us", "waiting_pct"}) {
      CHECK(of_collectives(traces, column) == Texts(6, ""));
    }
    CHECK(of_collectives(traces, "mostly") == Texts(6, "not known"));
    CHECK(of_collectives(traces, "latency_us") == Texts(6, "80"));
    CHECK(is_said(traces, "which no one difference of clocks explains"));
  }

  TEST_CASE("40.31 collectives that may be matched one off set no clock; with their numbers they are not") {
    const auto ranks_of = [](bool numbered) {
      RankEvents one;
      RankEvents other;
      for (int i = 0; i < 6; ++i) {
        const RankEvents::Signature signature{"allreduce", 1000, numbered ? i : -1};
        one.collective(5000.0 * i, 100, signature);
        if (i > 0) other.collective(5000.0 * i + 10, 90, signature);
      }
      return std::vector<PlacedTrace>{one.placed(0), other.placed(1)};
    };
    CHECK(of_ranks(ranks_of(false), "straggler") == Texts{"not known", "not known"});
    CHECK(of_ranks(ranks_of(true), "straggler") == Texts{"", "straggler"});
  }

  TEST_CASE("40.31 collectives that may be matched one off by their ends are no clock, and are said to be that") {
    // Rank 0's file lacks the last, rank 1's the first: as many in both.
    const auto run = [](double period, int first, double off_us, bool numbered) {
      std::vector<PlacedTrace> traces;
      for (int rank = 0; rank < 2; ++rank) {
        RankEvents events;
        for (int i = first * rank; i < 8 + first * rank; ++i) {
          events.collective(period * i + 5 * rank, 100, {"allreduce", 1000, numbered ? i : -1});
          events.collective(period * i + 200 + 5 * rank, 60, {"_allgather_base", 77, numbered ? 100 + i : -1});
        }
        const auto clock = static_cast<std::int64_t>(1000 * off_us * rank);
        traces.push_back(events.placed(rank, {}, run_fields(2, kBaseNs + clock)));
      }
      return traces;
    };
    const std::string words = "they may be matched one off, as each and the next one of its kind end within";
    for (const double period : {1000.0, 740.0, 25'000.0}) {
      CAPTURE(period);
      const std::vector<PlacedTrace> off = run(period, 1, 0, false);
      CHECK(is_said(off, words));
      CHECK(of_ranks(off, "straggler") == Texts{"not known", "not known"});
      CHECK(of_ranks(off, "clock_shift_us") == Texts{"0", "0"});
      // A clock that is off by a period looks the same; one that is off by something else does not.
      CHECK(is_said(run(period, 0, -period, false), words));
      CHECK_FALSE(is_said(run(period, 0, 0.6 * period, false), words));
      CHECK(is_said(run(period, 0, 0.6 * period, false), "its clock"));
      // Numbers say which are together.
      CHECK_FALSE(is_said(run(period, 1, 0, true), words));
      CHECK(of_collectives(run(period, 1, 0, true), "ranks") == Texts(14, "2"));
    }
    // Of one left over the reason is that, not that ends are scattered.
    std::vector<PlacedTrace> left = run(1000, 0, 0, false);
    left[1] = RankEvents().collective(1005, 100).collective(2005, 100).collective(3005, 100).placed(
        1, {}, run_fields(2, kBaseNs));
    CHECK(is_said(left, "they may be matched one off"));
    CHECK_FALSE(is_said(left, "no one difference"));
  }

  TEST_CASE("40.31 of two ranks the first is named, and so is it where most ranks agree with none") {
    const std::vector<PlacedTrace> most = clocked_run(1, 250, {0, 0, 800'000, 0});
    CHECK(is_said(most, "its clock is another's: its 8 collectives end "));
    CHECK(is_said(most, "from most ranks'. Waits"));
    std::vector<PlacedTrace> two = clocked_run(1, 250, {0, 800'000, 0, 0});
    two.resize(2);
    CHECK(is_said(two, "its clock and rank 0's are not one, and most ranks have neither: its 8 collectives end "));
    CHECK(is_said(two, "from rank 0's. Waits"));
    CHECK_FALSE(is_said(two, "most ranks'"));
    const std::vector<PlacedTrace> all_differ = clocked_run(1, 250, {0, 800'000, -900'000, 4'000'000});
    CHECK(is_said(all_differ, "from rank 0's"));
    CHECK_FALSE(is_said(all_differ, "most ranks'"));
  }

  TEST_CASE(
      "40.31 a file without base time is set by its ends however far base times lie; without ends it is not known") {
    const std::string base = R"("baseTimeNanoseconds":1790857026000000000)";
    const auto run = [&base](const std::vector<int>& bare, const RankEvents::Signature& of_bare) {
      const RankEvents::Signature usual{"allreduce", 1000, -1, 3, "0", "[0, 1, 2]"};
      std::vector<PlacedTrace> traces;
      for (int rank = 0; rank < 3; ++rank) {
        RankEvents events;
        const bool is_bare = std::ranges::find(bare, rank) != bare.end();
        for (int i = 0; i < 4; ++i) {
          const double start = 3000.0 * i + 70 * i * i + 5 * rank + (is_bare ? 5e6 : 0);
          events.collective(start, 100 - 5 * rank, is_bare ? of_bare : usual);
        }
        traces.push_back(events.placed(rank, {}, is_bare ? "" : base));
      }
      put_in_order(traces);
      return traces;
    };
    const RankEvents::Signature usual{"allreduce", 1000, -1, 3, "0", "[0, 1, 2]"};
    for (const std::vector<int>& bare : {std::vector{0}, {1}, {2}, {0, 1}, {1, 2}}) {
      const std::vector<PlacedTrace> traces = run(bare, usual);
      CHECK(of_collectives(traces, "start_skew_us") == Texts(4, "10"));
      CHECK(of_collectives(traces, "last_rank") == Texts(4, "2"));
      CHECK(is_said(traces, "no base time (baseTimeNanoseconds): its clock is set by the ends of its 4 collectives"));
    }
    CHECK_FALSE(is_said(run({0, 1, 2}, usual), "base time"));
    RankEvents::Signature other = usual;
    other.elements = 7;
    const std::vector<PlacedTrace> apart = run({1}, other);
    CHECK(is_said(apart, "it has no base time (baseTimeNanoseconds), and no collectives that end together"));
    CHECK(of_collectives(apart, "ranks").empty());
  }

  TEST_CASE("40.31 with a clock that was set a wait of no more than ends of one host differ by names nobody") {
    CHECK(of_ranks(clocked_run(1, 60, {0, 0, 0, 0}), "straggler") == Texts{"", "straggler", "", ""});
    CHECK(of_ranks(clocked_run(1, 60, {0, 0, 800'000, 0}), "straggler") == Texts{"", "not known", "", ""});
  }

  TEST_CASE("40.31 on the project's own sweep no clock that is off names another rank a straggler") {
    const std::filesystem::path sweep = kernbench::source_dir() + "/benches/reference/nvidia-h200/traces/overlap";
    for (const char* point : {"42ch_256threads", "70ch_512threads"}) {
      const auto right = kernbench::traces::read_traces(kernbench::traces::find_trace_files({sweep / point}, ""), {});
      const Texts named = of_ranks(right, "straggler");
      CHECK(of_ranks(right, "clock_shift_us") == Texts(4, "0"));
      std::size_t kept = 0;
      for (const std::int64_t off_ns : {500'000, 5'000'000, -300'000}) {
        for (std::size_t rank = 0; rank < 4; ++rank) {
          std::vector<PlacedTrace> off = right;
          off[rank].trace.base_time_ns += off_ns;
          const Texts now = of_ranks(off, "straggler");
          for (std::size_t i = 0; i < 4; ++i) {
            if (now[i] == "straggler") CHECK(named[i] == "straggler");
            if (now[i] == "straggler") ++kept;
          }
        }
      }
      CHECK(kept >= 9);  // of 12
    }
  }
}
