// Collectives that not all ranks are seen of: bounds, and no verdict.
#include <doctest/doctest.h>

#include <filesystem>

#include "benches/io/text/json.hpp"
#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/events/trace_warnings.hpp"
#include "benches/traces/report/trace_report.hpp"
#include "benches/traces/tables/collective_notes.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "benches/traces/tables/group_ranks.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/trace_analysis/several_ranks.hpp"

using kernbench::traces::AloneTimes;
using kernbench::traces::collective_notes;
using kernbench::traces::PlacedTrace;
using kernbench::traces::stragglers_table;
using kernbench::traces::timed_groups;
using kernbench::traces::TraceTable;
using kernbench::traces::warning_lines;

namespace {

using Texts = std::vector<std::string>;

const AloneTimes kNoAloneTimes;

const AloneTimes& never_alone(const std::string& /*device*/) { return kNoAloneTimes; }

TraceTable collectives_of(const std::vector<PlacedTrace>& traces) {
  return collectives_table(traces, timed_groups(traces, {}), never_alone);
}

TraceTable ranks_of(const std::vector<PlacedTrace>& traces) {
  return stragglers_table(traces, timed_groups(traces, {}));
}

/// Three collectives of the group 0 of `size` ranks, whose list says `ranks`; rank 2 is last of those that are here.
std::vector<PlacedTrace> seen_ranks(const std::vector<std::int64_t>& here, const RankEvents::Signature& signature) {
  std::vector<PlacedTrace> traces;
  for (const std::int64_t rank : here) {
    RankEvents events;
    for (int i = 0; i < 3; ++i) {
      const double late = rank == 2 ? 30 : 0;
      events.collective(1000.0 * i + late, 100 - late, signature);
    }
    traces.push_back(events.placed(rank));
  }
  return traces;
}

const RankEvents::Signature kOfFour{"allreduce", 1'000'000, -1, 4, "0", "[0, 1, 2, 3]"};

std::string text_of(const TraceTable& table) { return table_text(table, {.colours = false, .width = 0}); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::filesystem::path sweep_folder() {
  return kernbench::source_dir() + "/benches/reference/nvidia-h200/traces/overlap";
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.33 a rank missing: bounds, no straggler, nobody last, no waiting or transfer") {
    const TraceTable all = ranks_of(seen_ranks({0, 1, 2, 3}, kOfFour));
    CHECK(column_of(all, "straggler") == Texts{"", "", "straggler", ""});
    CHECK(column_of(all, "missing_ranks") == Texts(4, ""));
    const std::vector<PlacedTrace> three = seen_ranks({1, 2, 3}, kOfFour);
    const TraceTable ranks = ranks_of(three);
    CHECK(column_of(ranks, "straggler") == Texts(3, "not known"));
    CHECK(column_of(ranks, "missing_ranks") == Texts(3, "0"));
    CHECK(column_of(ranks, "wait_us") == Texts{"90", "0", "90"});
    for (const char* column : {"times_last", "times_first", "others_wait_us", "kept_by"}) {
      CHECK(column_of(ranks, column) == Texts(3, ""));
    }
    const TraceTable table = collectives_of(three);
    CHECK(column_of(table, "ranks") == Texts(3, "4"));
    CHECK(column_of(table, "latency_us") == Texts(3, "70"));
    CHECK(column_of(table, "mostly") == Texts(3, "not known"));
    for (const char* column : {"last_rank", "first_rank", "waiting_pct", "kept_by", "kept_idle_us"}) {
      CHECK(column_of(table, column) == Texts(3, ""));
    }
  }

  TEST_CASE("40.33 the first line says what is missing, and bounds have their sign; of all ranks there is neither") {
    const std::string text = text_of(collectives_of(seen_ranks({1, 3}, kOfFour)));
    CHECK(text.starts_with("ranks missing: 0, 2 of 4. Of 3 collectives not all ranks are seen: "));
    for (const char* bound : {"≤ 100.000", "≥ 30.000", "≥ 0.000"})
      CHECK(contains(text, bound));  // latency, busbw, waits
    CHECK(text_of(ranks_of(seen_ranks({1, 3}, kOfFour))).starts_with("ranks missing: 0, 2 of 4."));
    const std::string whole = text_of(collectives_of(seen_ranks({0, 1, 2, 3}, kOfFour)));
    for (const char* none : {"missing:", "≤", "≥"}) CHECK_FALSE(contains(whole, none));
    const auto json = kernbench::parse_json(table_json(collectives_of(seen_ranks({1, 3}, kOfFour))), "table");
    CHECK(json.at("notes").at(0).get<std::string>().starts_with("ranks missing: 0, 2 of 4"));
  }

  TEST_CASE("40.33 which are missing: by the list, by the group's configuration, by the run's size, else how many") {
    const auto missing = [](const std::vector<PlacedTrace>& traces) {
      return column_of(collectives_of(traces), "missing_ranks").front();
    };
    CHECK(missing(seen_ranks({2}, kOfFour)) == "0, 1, 3");
    CHECK(missing(seen_ranks({0, 1}, {"allreduce", 9, -1, 9, "0", "[0, 1, 2, 3, 4, 5, 6, 7, 8]"})) == "2 to 8");
    CHECK(missing(seen_ranks({0, 1}, {"allreduce", 9, -1, 64, "0", "[0, 1, 2, ..., 63]"})) == "62 of 64");
    CHECK(missing(seen_ranks({0}, {"allreduce", 9, -1, 8, "7", ""})) == "7 of 8");
    const RankEvents events = RankEvents().collective(0, 9, {"allreduce", 9, -1, 3, "tp", ""});
    CHECK(missing({events.placed(
              1, {}, R"("distributedInfo":{"world_size":8,"pg_config":[{"pg_name":"tp","ranks":[1,3,5]}]})")}) ==
          "3, 5");
    CHECK(missing({RankEvents().nameless(0, 9, 4).placed(1, {}, run_fields(4))}) == "0, 2, 3");
    CHECK(missing({RankEvents().kernel("ncclKernel_AllReduce", 0, 9).placed(1, {}, run_fields(2))}) == "0");
    CHECK(kernbench::traces::ranks_in_words({0, 1, 3, 4, 5, 9}) == "0, 1, 3 to 5, 9");
  }

  TEST_CASE("40.33 one rank of a group whose size nothing says: bounds, and no verdict") {
    const RankEvents::Signature named{"allreduce", 1'000'000, -1, 0, "tp", ""};
    const RankEvents::Signature bare{"allreduce", 1'000'000, -1, 0, "", ""};
    for (const RankEvents& events : {RankEvents().collective(0, 100, named), RankEvents().collective(0, 100, bare)}) {
      const std::vector<PlacedTrace> alone{events.placed(0)};
      const TraceTable table = collectives_of(alone);
      CHECK(
          text_of(table).starts_with("ranks missing: not known, for no file says how many ranks the group has. Of 1 "
                                     "collective not all ranks may be seen: latencies are at most"));
      CHECK(contains(text_of(table), "≤ 100.000"));
      CHECK(column_of(table, "missing_ranks") == Texts{"not known"});
      CHECK(column_of(table, "mostly") == Texts{"not known"});
      for (const char* column : {"ranks", "busbw_gbs", "last_rank", "waiting_pct"}) {
        CHECK(column_of(table, column) == Texts{""});
      }
      CHECK(column_of(table, "algbw_gbs") == Texts{"20"});
      CHECK(column_of(ranks_of(alone), "straggler") == Texts{"not known"});
      CHECK(column_of(ranks_of(alone), "times_last") == Texts{""});
      CHECK(kernbench::traces::report_headline({table}).starts_with("How many ranks there are is not known"));
      // A file that says that the run has one rank, or the group: all are seen.
      CHECK(column_of(collectives_of({events.placed(0, {}, run_fields(1))}), "mostly") == Texts{"transfer"});
      // Of several the others may be missing: it is said what that rests on.
      const std::vector<PlacedTrace> two{events.placed(0), events.placed(1)};
      CHECK(column_of(collectives_of(two), "ranks") == Texts{"2"});
      CHECK(contains(text_of(collectives_of(two)),
                     "1 collective of groups whose size no file says: taken as of the ranks that there are files of"));
    }
    const RankEvents of_one = RankEvents().nameless(0, 100, 1);
    CHECK(column_of(collectives_of({of_one.placed(0)}), "mostly") == Texts{"transfer"});
    // The path of rank 3 says that there are four at least.
    CHECK(text_of(collectives_of({RankEvents().collective(0, 100, bare).placed(3)}))
              .starts_with("ranks missing: 0 to 2 of at least 4. Of 1 collective not all ranks are seen"));
  }

  TEST_CASE("40.33 ranks are missing also where nothing is matched") {
    const auto first_line = [](const std::vector<PlacedTrace>& traces) {
      return collective_notes(timed_groups(traces, {})).front();
    };
    const std::string end = ". No collective that they may be in is matched";
    std::vector<PlacedTrace> sizes_differ;
    std::vector<PlacedTrace> nameless;
    for (const std::int64_t rank : {1, 2}) {
      const RankEvents::Signature of_three{"allreduce", 5 + rank, -1, 3, "0", "[0, 1, 2]"};
      sizes_differ.push_back(RankEvents().collective(0, 100, of_three).placed(rank));
      nameless.push_back(RankEvents().nameless(0, 100, 2).placed(rank, {}, run_fields(6)));
    }
    CHECK(first_line(sizes_differ) == "ranks missing: 0 of 3" + end);
    CHECK(first_line(nameless) == "ranks missing: 0, 3 to 5 of 6" + end);
  }

  TEST_CASE("40.33 of the project's own sweep no set of three ranks has a straggler, and no rank alone a verdict") {
    const auto traces = kernbench::traces::read_traces(
        kernbench::traces::find_trace_files({sweep_folder() / "42ch_256threads"}, ""), {});
    for (std::size_t without = 0; without < 4; ++without) {
      std::vector<PlacedTrace> three = traces;
      three.erase(three.begin() + static_cast<std::ptrdiff_t>(without));
      CHECK(column_of(ranks_of(three), "straggler") == Texts(3, "not known"));
      CHECK(column_of(ranks_of(three), "missing_ranks") == Texts(3, std::to_string(without)));
      const TraceTable alone = collectives_of({traces[without]});
      CHECK(column_of(alone, "mostly") == Texts(12, "not known"));
      CHECK(kernbench::traces::report_headline({alone}).starts_with("Ranks missing: "));
    }
    CHECK(kernbench::traces::report_headline({collectives_of(traces)}).empty());
  }

  TEST_CASE("40.34 warnings that differ in numbers alone are a line; a table without rows has no head") {
    CHECK(warning_lines({{"a", "3 events of 1.5 µs"}, {"b", "no shapes"}, {"c", "4 events of 2,000.0 µs"}}) ==
          Texts{"a: 3 events of 1.5 µs; and 1 other file alike", "b: no shapes"});
    const std::vector<PlacedTrace> silent{RankEvents().kernel("relu", 0, 1).placed(0)};
    CHECK(text_of(collectives_of(silent)).starts_with("collectives: no rows"));
    CHECK(table_csv(collectives_of(silent)).starts_with("group,"));
    std::vector<PlacedTrace> sweep_of;
    for (int point = 0; point < 5; ++point) {
      for (PlacedTrace& placed : seen_ranks({1, 3}, kOfFour)) {
        placed.axes = {{"channels", std::to_string(point)}};
        sweep_of.push_back(std::move(placed));
      }
    }
    CHECK(collective_notes(timed_groups(sweep_of, {})).size() == 1);
  }
}
