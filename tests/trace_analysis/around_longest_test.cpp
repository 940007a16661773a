// What the ranks ran around the longest call, and on which clock.
#include "benches/traces/tables/around_longest.hpp"

#include <doctest/doctest.h>

#include "tests/trace_analysis/several_ranks.hpp"

using kernbench::traces::around_longest_table;
using kernbench::traces::PlacedTrace;
using kernbench::traces::timed_groups;
using kernbench::traces::TraceTable;

namespace {

using Texts = std::vector<std::string>;

constexpr const char* kBase = R"("baseTimeNanoseconds":1000000000)";

/// Two calls, of 100 and 120 µs: the window of the second, at 5000, is from 4760 to 5360.
RankEvents varying_rank() {
  RankEvents events;
  events.gemm("nvjet_a", 1000, 100).gemm("nvjet_a", 5000, 120);
  return events;
}

TraceTable around(const std::vector<PlacedTrace>& traces) {
  return around_longest_table(traces, {}, timed_groups(traces, {}));
}

/// Starts of the events named `name`.
Texts starts_of(const TraceTable& table, const std::string& name) {
  const Texts names = column_of(table, "name");
  const Texts starts = column_of(table, "start_us");
  Texts found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) found.push_back(starts[i]);
  }
  return found;
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.50 two lengths of the call before it and after it, of all ranks; what only touches is outside") {
    RankEvents one = varying_rank();
    one.kernel("before", 4750, 10).kernel("across", 4750, 11).kernel("late", 5359, 50).kernel("after", 5360, 10);
    RankEvents other;
    other.kernel("beside", 5010, 30).kernel("before", 1000, 5);
    const TraceTable table = around({one.placed(0, {}, kBase), other.placed(1, {}, kBase)});
    CHECK(column_of(table, "name") == Texts{"across", "nvjet_a", "late", "beside"});
    CHECK(column_of(table, "start_us") == Texts{"-250", "0", "359", "10"});
    CHECK(column_of(table, "duration_us") == Texts{"11", "120", "50", "30"});
    CHECK(column_of(table, "rank") == Texts{"0", "0", "0", "1"});
    CHECK(column_of(table, "longest_call") == Texts{"", "yes", "", ""});
    CHECK(column_of(table, "activity") == Texts{"computation", "computation", "computation", "computation"});
    CHECK(column_of(table, "ends_us") == Texts{"", "", "", ""});  // no collectives
  }

  TEST_CASE("40.50 of several points that of the call alone") {
    RankEvents steady;
    steady.gemm("nvjet_a", 1000, 100).gemm("nvjet_a", 5000, 101);
    const TraceTable table =
        around({steady.placed(0, {{"channels", "1"}}), varying_rank().placed(0, {{"channels", "2"}})});
    CHECK(column_of(table, "channels") == Texts{"2"});
    CHECK(around({}).rows.empty());
    CHECK(around({RankEvents().kernel("relu", 0, 1).placed(0)}).rows.empty());
  }

  TEST_CASE("40.50 clocks stay where ends agree within 1 ms, and are shifted where not or where bases are missing") {
    const auto table_of = [](double late, const char* base) {
      RankEvents one = varying_rank();
      RankEvents other;
      for (const double at : {4800.0, 5100.0}) {
        one.collective(at, 100);
        other.collective(at + late, 100);
      }
      other.kernel("marker", 5030 + late, 10);
      return around({one.placed(0, {}, kBase), other.placed(1, {}, base)});
    };
    const TraceTable near = table_of(20, kBase);
    CHECK(starts_of(near, "marker") == Texts{"50"});
    CHECK(column_of(near, "ends_us").back() == "20");
    CHECK(column_of(near, "shift_us").back() == "0");
    CHECK(column_of(near, "ends_us").front() == "0");
    const TraceTable far = table_of(2000.0004, kBase);
    CHECK(starts_of(far, "marker") == Texts{"30.0004"});  // shifted by whole ns
    CHECK(column_of(far, "shift_us").back() == "-2000");
    const TraceTable without = table_of(20, "");
    CHECK(starts_of(without, "marker") == Texts{"30"});
    CHECK(column_of(without, "ends_us").back() == "-999980");
  }

  TEST_CASE("40.50 many events: the longest stay; many ranks: the call's own and the first") {
    RankEvents busy = varying_rank();
    for (int i = 0; i < 4100; ++i) busy.kernel(i < 200 ? "short" : "long", 5000 + 0.01 * i, i < 200 ? 0.5 : 1);
    const TraceTable few = around({busy.placed(0)});
    CHECK(few.rows.size() == 4000);
    CHECK(starts_of(few, "nvjet_a") == Texts{"0"});
    CHECK(starts_of(few, "long").size() == 3900);
    std::vector<PlacedTrace> traces;
    for (int rank = 0; rank < 18; ++rank) {
      traces.push_back(rank == 17 ? varying_rank().placed(17) : RankEvents().kernel("k", 5000, 1).placed(rank));
    }
    const Texts ranks = column_of(around(traces), "rank");
    CHECK(ranks.size() == 16);
    CHECK(ranks[14] == "14");
    CHECK(ranks[15] == "17");
  }
}
