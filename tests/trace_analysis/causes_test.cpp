// What made GEMM calls long, in traces whose causes are known.
#include "benches/traces/tables/causes.hpp"

#include <doctest/doctest.h>

#include <map>

#include "benches/traces/tables/top.hpp"
#include "tests/trace_analysis/several_ranks.hpp"

using kernbench::traces::CausedCalls;
using kernbench::traces::causes_table;
using kernbench::traces::median_time;
using kernbench::traces::PlacedTrace;
using kernbench::traces::TraceAxes;
using kernbench::traces::TraceSelection;
using kernbench::traces::weighted_median;

namespace {

using Texts = std::vector<std::string>;

/// Rank 0 has three calls alone of 100 µs, two beside collectives of 150; ten other kernels of 10.
RankEvents usual_rank() {
  RankEvents events;
  for (int i = 0; i < 3; ++i) events.gemm("nvjet_a", 1000.0 * i, 100);
  for (int i = 3; i < 5; ++i) events.collective(1000.0 * i - 1, 300).gemm("nvjet_a", 1000.0 * i, 150);
  for (int i = 5; i < 15; ++i) events.kernel("relu", 1000.0 * i, 10);
  return events;
}

/// Rank 1 has one call of `duration`, and five other kernels that take 10 % longer than elsewhere.
RankEvents slow_rank(double duration, bool overlapped) {
  RankEvents events;
  if (overlapped) events.collective(0, 1000);
  events.gemm("nvjet_a", 100, duration);
  for (int i = 5; i < 10; ++i) events.kernel("relu", 1000.0 * i, 11);
  return events;
}

/// Of the longest call of a rank, parts by name, as texts.
std::map<std::string, std::string> causes_of(const std::vector<PlacedTrace>& traces, std::int64_t rank,
                                             const TraceSelection& selection = {}) {
  const auto table = causes_table(traces, selection, 1, CausedCalls::kLongest);
  const Texts ranks = column_of(table, "rank");
  std::map<std::string, std::string> causes;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != std::to_string(rank)) continue;
    for (const auto& column : table.columns) causes[column.name] = column_of(table, column.name)[i];
  }
  return causes;
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.24 medians") {
    CHECK(median_time({3, 1, 2}) == 2);
    CHECK(median_time({4, 1}) == 2);
    CHECK_THROWS(static_cast<void>(median_time({})));
  }

  TEST_CASE("40.26 the weighted median is where half of the weight is reached") {
    CHECK(weighted_median({{5, 1}, {1, 1}, {3, 1}}) == 3);
    CHECK(weighted_median({{1, 1}, {2, 1}}) == 1);
    CHECK(weighted_median({{1, 1}, {2, 1.5}}) == 2);
    CHECK(weighted_median({{9, 0}, {2, 1}}) == 2);
    CHECK(weighted_median({}) == 0);
  }

  TEST_CASE("40.25 a call with two causes at once adds up; what they do not explain is shown") {
    const auto causes = causes_of({usual_rank().placed(0), slow_rank(170, true).placed(1)}, 1);
    CHECK(causes.at("duration_us") == "170");
    CHECK(causes.at("best_us") == "100");
    CHECK(causes.at("base_us") == "100");
    CHECK(causes.at("base_samples") == "3");
    CHECK(causes.at("baseline") == "point");
    CHECK(causes.at("share_pct") == "100");
    CHECK(causes.at("excess_us") == "70");
    CHECK(causes.at("kernel_us") == "0");
    CHECK(causes.at("contention_us") == "50");
    CHECK(causes.at("clock_us") == "10");
    CHECK(causes.at("unexplained_us") == "10");
    CHECK(causes.at("contention_pct") == "71.42857143");
    CHECK(causes.at("unexplained_pct") == "14.28571429");
    CHECK(causes.at("contention_samples") == "2");
    CHECK(causes.at("clock_samples") == "5");
    CHECK(causes.at("main_cause") == "contention");
  }

  TEST_CASE("40.28 signs: a call that is shorter than its causes leaves a negative rest") {
    const auto causes = causes_of({usual_rank().placed(0), slow_rank(130, true).placed(1)}, 1);
    CHECK(causes.at("unexplained_us") == "-30");
    const auto alone = causes_of({usual_rank().placed(0), slow_rank(95, false).placed(1)}, 1);
    CHECK(alone.at("base_us") == "100");
    CHECK(alone.at("excess_us") == "-5");
    CHECK(alone.at("contention_us") == "0");
    CHECK(alone.at("clock_us") == "10");
    CHECK(alone.at("unexplained_us") == "-15");
    CHECK(alone.at("main_cause") == "unexplained");
  }

  TEST_CASE("40.25 another kernel for the same shape is a cause; its baseline may be of the sweep") {
    RankEvents other;
    for (int i = 0; i < 3; ++i) other.gemm("nvjet_b", 1000.0 * i, 80).gemm("nvjet_b", 1000.0 * i + 500, 60, 9);
    const std::vector<PlacedTrace> traces{usual_rank().placed(0, {{"point", "0"}}), other.placed(0, {{"point", "1"}})};
    const auto causes = causes_of({traces[0]}, 0);
    CHECK(causes.at("kernel_us") == "0");
    const auto beside = causes_table(traces, {}, 1, CausedCalls::kLongest);
    CHECK(column_of(beside, "point")[0] == "0");
    CHECK(column_of(beside, "best_us")[0] == "80");  // not 60, which is another shape's
    CHECK(column_of(beside, "kernel_us")[0] == "20");
    CHECK(column_of(beside, "contention_us")[0] == "50");
    CHECK(column_of(beside, "unexplained_us")[0] == "0");
  }

  TEST_CASE("40.24 fewer than three calls alone: the sweep's, else no baseline") {
    const TraceAxes one{{"point", "1"}};
    RankEvents lone = slow_rank(170, true);
    const auto of_sweep =
        causes_table({usual_rank().placed(0, {{"point", "0"}}), lone.placed(0, one)}, {}, 1, CausedCalls::kLongest);
    CHECK(column_of(of_sweep, "baseline") == Texts{"point", "sweep"});
    CHECK(column_of(of_sweep, "excess_us")[1] == "70");
    CHECK(column_of(of_sweep, "contention_samples")[1] == "0");  // nothing else at its point
    CHECK(column_of(of_sweep, "unexplained_us")[1] == "70");
    const auto none = causes_of({lone.gemm("nvjet_a", 4000, 100).gemm("nvjet_a", 4200, 100).placed(0)}, 0);
    CHECK(none.at("baseline") == "no baseline");
    CHECK(none.at("main_cause") == "no baseline");
    CHECK(none.at("excess_us").empty());
    CHECK(none.at("unexplained_us").empty());
    CHECK(none.at("share_pct") == "100");
  }

  TEST_CASE("40.24 launches of one kernel without operator are no shape: they have no baseline, and are no clock") {
    RankEvents events;
    for (int i = 0; i < 6; ++i) events.kernel("nvjet_a", 1000.0 * i, 50);
    events.kernel("nvjet_a", 6000, 100).gemm("nvjet_b", 7000, 20).gemm("nvjet_b", 8000, 21);
    const std::vector<PlacedTrace> traces{events.placed(0)};
    const auto table = causes_table(traces, {}, 5, CausedCalls::kLongest);
    CHECK(column_of(table, "kernel") == Texts{"nvjet_b", "nvjet_a"});
    CHECK(column_of(table, "baseline") == Texts{"no baseline", "shape not known"});
    CHECK(column_of(table, "main_cause") == Texts{"no baseline", "shape not known"});
    CHECK(column_of(table, "excess_us") == Texts{"", ""});
    CHECK(column_of(table, "duration_us") == Texts{"21", "100"});
    CHECK(column_of(kernbench::traces::slowdowns_table(traces, {}), "kernel") == Texts{"nvjet_b"});
    RankEvents usual = usual_rank();
    for (int i = 20; i < 30; ++i) usual.kernel("nvjet_c", 1000.0 * i, i < 27 ? 10 : 90);
    CHECK(causes_of({usual.placed(0)}, 0).at("clock_samples") == "10");  // the relu alone
  }

  TEST_CASE("40.26 calls of 10 % and less do not make the slope") {
    RankEvents events = usual_rank();
    events.collective(20'000, 10).gemm("nvjet_a", 20'000, 100).collective(21'000, 20).gemm("nvjet_a", 21'000, 160);
    const auto causes = causes_of({events.placed(0)}, 0);
    CHECK(causes.at("duration_us") == "160");
    CHECK(causes.at("contention_samples") == "2");
    CHECK(causes.at("contention_us") == "6.25");  // 100 · 0.5 · 20/160
  }

  TEST_CASE("40.27 the clock is of the same step, of five kernels or more that last 5 µs") {
    const auto clock_of = [](int kernels, double duration, const std::string& step) {
      RankEvents events;
      events.annotation("ProfilerStep#1", 0, 990).annotation("ProfilerStep#2", 990, 99'000);
      events.gemm("nvjet_a", 100, 120);
      for (int i = 0; i < kernels; ++i) {
        events.kernel("relu", (step == "1" ? 300.0 : 3000.0) + 100.0 * i, duration);
      }
      RankEvents usual = usual_rank();
      for (int i = 20; i < 30; ++i) usual.kernel("short", 1000.0 * i, 4);
      usual.annotation("ProfilerStep#1", 0, 990).annotation("ProfilerStep#2", 990, 99'000);
      const auto causes = causes_of({usual.placed(0), events.placed(1)}, 1);
      return causes.at("clock_us") + " of " + causes.at("clock_samples") + " step " + causes.at("step");
    };
    CHECK(clock_of(5, 12, "1") == "20 of 5 step 1");
    CHECK(clock_of(4, 12, "1") == "0 of 4 step 1");
    CHECK(clock_of(5, 12, "2") == "0 of 0 step 1");
    CHECK(clock_of(5, 4.9, "1") == "0 of 0 step 1");
  }

  TEST_CASE("40.29 kernels alone and beside communication") {
    RankEvents events = usual_rank();
    events.collective(20'000, 100).gemm("nvjet_a", 20'000, 130);  // 77 %: neither
    const auto table = kernbench::traces::slowdowns_table({events.placed(0)}, {});
    CHECK(column_of(table, "instances") == Texts{"6"});
    CHECK(column_of(table, "alone") == Texts{"3"});
    CHECK(column_of(table, "fully_overlapped") == Texts{"2"});
    CHECK(column_of(table, "alone_median_us") == Texts{"100"});
    CHECK(column_of(table, "overlapped_median_us") == Texts{"150"});
    CHECK(column_of(table, "slowdown") == Texts{"1.5"});
    CHECK(column_of(table, "base_us") == Texts{"100"});
    CHECK(column_of(table, "base_samples") == Texts{"3"});
    CHECK(column_of(table, "contention_slope") == Texts{"0.5"});
    CHECK(column_of(table, "contention_samples") == Texts{"3"});
    const auto alone = kernbench::traces::slowdowns_table({RankEvents().gemm("nvjet_a", 0, 100).placed(0)}, {});
    CHECK(column_of(alone, "baseline") == Texts{"no baseline"});
    CHECK(column_of(alone, "contention_slope") == Texts{""});
  }

  TEST_CASE("40.52 of sweeps compared each has its own baseline") {
    const RankEvents lone = slow_rank(170, true);
    const std::vector<PlacedTrace> traces{usual_rank().placed(0, {{"run", "a"}, {"point", "0"}}),
                                          lone.placed(0, {{"run", "b"}, {"point", "0"}})};
    CHECK(column_of(kernbench::traces::slowdowns_table(traces, {}), "baseline") == Texts{"point", "no baseline"});
  }

  TEST_CASE("40.30 a call that is overlapped in part has 1 + c (1 - s) of its contention") {
    // Work is slowed by 1.5: 60 of 120 µs beside a collective do what 40 do alone.
    const std::vector<PlacedTrace> traces{usual_rank().placed(0),
                                          RankEvents().collective(50, 60).gemm("nvjet_a", 50, 120).placed(1)};
    const auto causes = causes_of(traces, 1);
    CHECK(causes.at("share_pct") == "50");
    CHECK(causes.at("excess_us") == "20");
    CHECK(causes.at("contention_us") == "25");  // 20 * (1 + 0.5 * (1 - 0.5))
    CHECK(causes.at("unexplained_us") == "-5");
  }

  TEST_CASE("40.30 kernels that last 5 us on the slowed rank alone are their own measure") {
    RankEvents usual = usual_rank();
    RankEvents slowed;
    slowed.gemm("nvjet_a", 100, 110);
    for (int i = 20; i < 30; ++i) {
      usual.kernel("short", 1000.0 * i, 4.8);
      slowed.kernel("short", 1000.0 * i, 5.28);
    }
    const auto causes = causes_of({usual.placed(0), slowed.placed(1)}, 1);
    CHECK(causes.at("clock_samples") == "10");
    CHECK(causes.at("clock_us") == "0");
    CHECK(causes.at("unexplained_us") == "10");
  }
}
