// The GEMMs whose calls vary most, and what communication overlaps them.
#include "benches/traces/tables/top.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "benches/traces/tables/sweep_points.hpp"
#include "benches/traces/tables/trace_table.hpp"
#include "tests/trace_analysis/several_ranks.hpp"

using kernbench::traces::CommunicationTimes;
using kernbench::traces::Overlap;
using kernbench::traces::PlacedTrace;
using kernbench::traces::top_table;

namespace {

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.18 rows of largest difference of each file, then of all; the first of equal calls") {
    const std::vector<PlacedTrace> traces{
        RankEvents().gemm("a", 0, 5, 2).gemm("a", 10, 9, 2).gemm("b", 20, 5, 3).gemm("b", 30, 6, 3).placed(0),
        RankEvents().gemm("a", 40, 7, 2).gemm("a", 30, 3, 2).gemm("a", 10, 7, 2).gemm("a", 20, 3, 2).placed(1),
        RankEvents().gemm("c", 0, 1, 5).placed(2)};
    const auto table = top_table(traces, {}, 2);
    CHECK(column_of(table, "rank") == Texts{"0", "1", "0", "2"});
    CHECK(column_of(table, "place") == Texts{"1", "1", "2", "1"});
    CHECK(column_of(table, "K") == Texts{"2", "2", "3", "5"});
    CHECK(column_of(table, "count") == Texts{"2", "4", "2", "1"});
    CHECK(column_of(table, "min_us") == Texts{"5", "3", "5", "1"});
    CHECK(column_of(table, "max_us") == Texts{"9", "7", "6", "1"});
    CHECK(column_of(table, "difference_us") == Texts{"4", "4", "1", "0"});
    CHECK(column_of(table, "min_at_us") == Texts{"0", "20", "20", "0"});
    CHECK(column_of(table, "max_at_us") == Texts{"10", "10", "30", "0"});
    CHECK(column_of(table, "between_us") == Texts{"10", "10", "10", "0"});
    CHECK(column_of(table, "std_us")[1] == "2.309401077");
    CHECK(column_of(top_table(traces, {}, 1), "rank") == Texts{"0", "1", "2"});
  }

  TEST_CASE("40.18 40.54 what is of unknown shape stands behind what is known, and is told by its kernel") {
    const std::string twin = "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<";
    const std::vector<PlacedTrace> traces{RankEvents()
                                              .kernel(twin + "a, " + std::string(80, 'x') + "> >(Params)", 0, 5)
                                              .kernel(twin + "b, " + std::string(80, 'x') + "> >(Params)", 10, 5)
                                              .kernel("nvjet_c", 20, 90)
                                              .kernel("nvjet_c", 200, 5)
                                              .gemm("a", 300, 5)
                                              .gemm("a", 400, 6)
                                              .placed(0)};
    const auto table = top_table(traces, {}, 5);
    CHECK(column_of(table, "M") == Texts{"16", "", "", ""});
    CHECK(column_of(table, "difference_us") == Texts{"1", "85", "0", "0"});
    CHECK(column_of(table, "base_us") == Texts{"", "", "", ""});
    for (const auto& shown :
         {table, gemms_table(traces, {}), causes_table(traces, {}, 5, kernbench::traces::CausedCalls::kLongest)}) {
      std::string text = table_text(shown, kernbench::Terminal{.width = 80});
      CAPTURE(text);
      CHECK(text.find("nvjet_c") != std::string::npos);
      // Names that differ inside are whole.
      std::erase_if(text, [](char character) { return character == ' ' || character == '\n'; });
      CHECK(std::ranges::count(text, 'x') > 160);
    }
    const auto known = top_table({RankEvents().gemm("a_kernel", 300, 5).placed(0)}, {}, 5);
    CHECK(table_text(known, kernbench::Terminal{.width = 60}).find("a_kernel") == std::string::npos);
  }

  TEST_CASE("40.18 instants are exact where a double is not") {
    const auto table = top_table({RankEvents().gemm("a", 0.25, 5).placed(0)}, {}, 1);
    CHECK(column_of(table, "max_at_us") == Texts{"0.25"});
    kernbench::traces::RankTrace trace;
    trace.origin_us = "1790857026000000.123456";
    CHECK(kernbench::traces::instant_us(trace, 1'000'001) == "1790857026000001.123457");
    trace.origin_us = "-2";
    CHECK(kernbench::traces::instant_us(trace, 500'000) == "-1.5");
  }

  TEST_CASE("40.19 overlaps: touching is none, unions count once, the largest is named") {
    const RankEvents::Signature reduce{"reduce", 8};
    const std::vector<PlacedTrace> traces{RankEvents()
                                              .collective(90, 10)           // touches
                                              .collective(80, 40)           // 20 of it
                                              .collective(110, 50, reduce)  // 50, 10 of them with the one before
                                              .collective(200, 9)           // touches
                                              .gemm("a", 100, 100)
                                              .gemm("a", 300, 50)
                                              .collective(340, 99, reduce)
                                              .placed(0)};
    const auto table = top_table(traces, {}, 1);
    CHECK(column_of(table, "collectives") == Texts{"2"});
    CHECK(column_of(table, "collective_names") == Texts{"allreduce; reduce"});
    CHECK(column_of(table, "max_share_pct") == Texts{"50"});
    CHECK(column_of(table, "max_share_collective") == Texts{"reduce"});
    CHECK(column_of(table, "overlap_us") == Texts{"60"});
    CHECK(column_of(table, "min_share_pct") == Texts{"20"});
  }

  TEST_CASE("40.19 a collective that began long before others, and steps that do not matter to it") {
    const PlacedTrace placed = RankEvents()
                                   .annotation("ProfilerStep#1", 0, 50)
                                   .annotation("ProfilerStep#2", 50, 1000)
                                   .collective(0, 500)
                                   .collective(10, 5)
                                   .kernel("ncclKernel_X", 20, 5)
                                   .gemm("a", 100, 100)
                                   .placed(0);
    const CommunicationTimes communication(placed.trace, false);
    const Overlap overlap = communication.during({100'000'000, 200'000'000});
    CHECK(overlap.collectives.size() == 1);
    CHECK(overlap.time == 0 + 100'000'000);
    CHECK(communication.during({20'000'000, 20'000'000}).time == 0);
    const kernbench::traces::TraceSelection second{false, kernbench::traces::StepRange{2, 2}};
    CHECK(column_of(top_table({placed}, second, 1), "overlap_us") == Texts{"100"});
  }
}
