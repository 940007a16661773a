// What differs between runs, and whether beyond the spread of the ranks.
#include "benches/traces/report/differences.hpp"

#include <doctest/doctest.h>

#include "benches/traces/report/runs.hpp"
#include "benches/traces/report/table_values.hpp"
#include "tests/support/error_of.hpp"
#include "tests/trace_report/sample_tables.hpp"

namespace kernbench::traces {
namespace {

/// A table gemms of the run's ranks: medians in µs.
TraceTable medians_table(const std::vector<sample::Call>& medians) {
  TraceTable table = sample::calls_table(medians);
  table.name = "gemms";
  table.columns.back().name = "median_us";
  return table;
}

std::vector<std::string> line(const TraceTable& table, std::size_t row) {
  std::vector<std::string> texts;
  for (const TraceCell& cell : table.rows.at(row)) texts.push_back(cell_text(cell));
  return texts;
}

constexpr const char* kWhat = "mm 64×64×64 NN BFloat16";

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.45 means over the ranks beside the first run's; beyond the spread where the ranks do not meet") {
    const TraceTable table = differences_table({medians_table({{1, 256, 0, 64, 10, "a"},
                                                               {1, 256, 1, 64, 14, "a"},
                                                               {1, 256, 0, 64, 15, "b"},
                                                               {1, 256, 1, 64, 18, "b"},
                                                               {1, 256, 0, 64, 13, "c"},
                                                               {1, 256, 1, 64, 20, "c"}})});
    REQUIRE(table.rows.size() == 2);
    using Line = std::vector<std::string>;
    CHECK(line(table, 0) == Line{"1", "256", kWhat, "median_us", "a", "b", "12", "16.5", "4.5", "37.5", "4", "yes"});
    CHECK(line(table, 1) == Line{"1", "256", kWhat, "median_us", "a", "c", "12", "16.5", "4.5", "37.5", "7", "no"});
    CHECK(differences_headline(table) ==
          "Of 2 values 1 differs beyond the spread of the ranks; by the largest share median_us of "
          "mm 64×64×64 NN BFloat16 at channels 1, threads 256: 16.5 µs in b, +37.5 % from a.");
  }

  TEST_CASE("40.45 of fewer than two ranks it is not known; what a run lacks is empty") {
    const TraceTable table = differences_table({medians_table({{1, 256, 0, 64, 10, "a"},
                                                               {2, 256, 0, 64, 10, "a"},
                                                               {1, 256, 0, 64, 90, "b"},
                                                               {1, 256, 1, 64, 90, "b"},
                                                               {4, 256, 0, 64, 90, "b"}})});
    REQUIRE(table.rows.size() == 3);
    using Line = std::vector<std::string>;
    CHECK(line(table, 0) == Line{"1", "256", kWhat, "median_us", "a", "b", "10", "90", "80", "800", "0", ""});
    CHECK(line(table, 1) == Line{"2", "256", kWhat, "median_us", "a", "b", "10", "", "", "", "", ""});
    CHECK(line(table, 2) == Line{"4", "256", kWhat, "median_us", "a", "b", "", "90", "", "", "", ""});
    CHECK(differences_headline(table) == "Of 3 values none differs beyond the spread of the ranks.");
  }

  TEST_CASE("40.45 runs that touch in one rank's value do not differ beyond their spread") {
    const TraceTable table = differences_table({medians_table(
        {{1, 256, 0, 64, 10, "a"}, {1, 256, 1, 64, 14, "a"}, {1, 256, 0, 64, 14, "b"}, {1, 256, 1, 64, 18, "b"}})});
    CHECK(line(table, 0).back() == "no");
  }

  TEST_CASE("40.45 an axis that tells the runs apart is left out, one that each of them varies stays") {
    const auto places = [](const std::vector<std::vector<PlacedTrace>>& runs) {
      std::string text;
      for (const PlacedTrace& placed : label_runs(runs, {"a", "b"})) {
        for (const auto& [name, value] : placed.axes) text.append(name).append("=").append(value).append(" ");
      }
      return text;
    };
    const auto at = [](TraceAxes axes) { return PlacedTrace{std::move(axes), 0, {}}; };
    CHECK(places({{at({{"channels", "1"}, {"threads", "256"}})}, {at({{"channels", "2"}, {"threads", "256"}})}}) ==
          "run=a threads=256 run=b threads=256 ");
    CHECK(places({{at({{"channels", "1"}}), at({{"channels", "2"}})}, {at({{"channels", "2"}})}}) ==
          "run=a channels=1 run=a channels=2 run=b channels=2 ");
    CHECK(::error_of([&] {
            static_cast<void>(places({{at({{"run", "1"}})}, {at({{"run", "1"}})}}));
          }) == "--layout: {run} is what compare calls its runs: expected another name for this axis");
  }
}

}  // namespace kernbench::traces
