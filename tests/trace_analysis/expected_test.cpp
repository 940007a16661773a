// The project's own sweep and public samples against answers that were computed independently of this program.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "benches/io/text/csv.hpp"
#include "benches/io/text/read_number.hpp"
#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/timeline.hpp"
#include "benches/traces/tables/top.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"

namespace fs = std::filesystem;
using kernbench::traces::find_trace_files;
using kernbench::traces::gemms_table;
using kernbench::traces::PlacedTrace;
using kernbench::traces::read_traces;
using kernbench::traces::timeline_table;
using kernbench::traces::TraceTable;

namespace {

using CsvRow = std::map<std::string, std::string>;

const fs::path kSource = kernbench::source_dir();
const fs::path kSweep = kSource / "benches/reference/nvidia-h200/traces/overlap";
const fs::path kData = kSource / "../shared/data";

std::vector<CsvRow> rows_of(const std::string& text) {
  const auto lines = kernbench::parse_csv(text, "table.csv");
  std::vector<CsvRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CsvRow& row = rows.emplace_back();
    for (std::size_t j = 0; j < lines[0].cells.size(); ++j) row[lines[0].cells[j]] = lines[i].cells[j];
  }
  return rows;
}

/// Empty where there is no such file, which is said.
std::vector<CsvRow> expected_rows(const std::string& name) {
  if (fs::exists(kData / "expected" / name)) return rows_of(kernbench::read_file(kData / "expected" / name));
  MESSAGE("skipped: there is no ../shared/data/expected/" << name << " beside the source tree");
  return {};
}

/// Times within 0.01 µs, other decimals as they are rounded there, all else equal.
bool agrees(const std::string& column, const std::string& got, const std::string& expected) {
  const auto a = kernbench::read_number(got);
  const auto b = kernbench::read_number(expected);
  if (!a || !b) return got == expected;
  if (column.ends_with("_us")) return std::abs(*a - *b) <= 0.01;
  return expected.find('.') == std::string::npos ? std::abs(*a - *b) < 0.5e-4 : std::abs(*a - *b) <= 1e-4;
}

void check_row(const CsvRow& got, const CsvRow& expected) {
  for (const auto& cell : expected) {
    const std::string& column = cell.first;
    const std::string& value = cell.second;
    if (column == "trace") continue;
    CAPTURE(column);
    CAPTURE(value);
    REQUIRE(got.contains(column));
    CAPTURE(got.at(column));
    CHECK(agrees(column, got.at(column), value));
  }
}

/// Row for row, in that order.
void check_rows(const std::vector<CsvRow>& got, const std::vector<CsvRow>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) check_row(got[i], expected[i]);
}

std::vector<CsvRow> timeline_rows(const std::vector<PlacedTrace>& traces, bool unlinked) {
  return rows_of(table_csv(timeline_table(traces, {.unlinked = unlinked, .steps = {}})));
}

/// Of a point and rank, rows of shapes.
std::vector<CsvRow> gemm_rows(const std::vector<PlacedTrace>& traces) {
  std::vector<CsvRow> rows = rows_of(table_csv(gemms_table(traces, {})));
  std::erase_if(rows, [](const CsvRow& row) { return row.at("basis") != "shape"; });
  return rows;
}

std::vector<PlacedTrace> point(const CsvRow& row) {
  const std::string folder = row.at("channels") + "ch_" + row.at("threads") + "threads";
  return read_traces(find_trace_files({kSweep / folder}, ""), {});
}

/// The rows with the same values in these columns as the first, in their order; taken out of `rows`.
std::vector<CsvRow> take_equal(std::vector<CsvRow>& rows, const std::vector<std::string>& columns) {
  const CsvRow first = rows.front();
  std::vector<CsvRow> taken;
  std::erase_if(rows, [&](const CsvRow& row) {
    for (const std::string& column : columns) {
      if (row.at(column) != first.at(column)) return false;
    }
    taken.push_back(row);
    return true;
  });
  return taken;
}

/// The points that there are expected answers of, together.
std::vector<PlacedTrace> small_sweep() {
  std::vector<fs::path> folders;
  for (const char* folder : {"28ch_256threads", "28ch_512threads", "56ch_256threads", "56ch_512threads"}) {
    folders.push_back(kSweep / folder);
  }
  return read_traces(find_trace_files(folders, ""), {});
}

/// Row for row within each point, whatever the order of points.
void check_points(std::vector<CsvRow> got, std::vector<CsvRow> expected) {
  REQUIRE(got.size() == expected.size());
  const std::vector<std::string> axes{"channels", "threads"};
  const auto by_point = [&axes](const CsvRow& row) { return row.at(axes[0]) + " " + row.at(axes[1]); };
  std::ranges::stable_sort(got, {}, by_point);
  std::ranges::stable_sort(expected, {}, by_point);
  check_rows(got, expected);
}

const kernbench::traces::AloneTimes& no_alone_times(const std::string& /*device*/) {
  static const kernbench::traces::AloneTimes none;
  return none;
}

std::vector<CsvRow> collective_rows(const std::vector<PlacedTrace>& traces) {
  return rows_of(table_csv(collectives_table(traces, timed_groups(traces, {}), no_alone_times)));
}

std::vector<CsvRow> straggler_rows(const std::vector<PlacedTrace>& traces) {
  return rows_of(table_csv(stragglers_table(traces, timed_groups(traces, {}))));
}

std::vector<PlacedTrace> sample(const std::string& name) {
  const fs::path folder = kData / "traces" / (name == "mi300x_resnet" ? "mi300x_resnet_ddp_rank0_nccl" : name);
  return read_traces(find_trace_files({folder}, ""), {});
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.13 timelines of the project's own sweep") {
    std::vector<CsvRow> expected = expected_rows("h200_overlap_28_56/timeline.csv");
    while (!expected.empty()) {
      const auto of_point = take_equal(expected, {"channels", "threads", "scope"});
      check_rows(timeline_rows(point(of_point.front()), of_point.front().at("scope") == "all"), of_point);
    }
  }

  TEST_CASE("40.17 GEMMs of the project's own sweep") {
    std::vector<CsvRow> expected = expected_rows("h200_overlap_28_56/gemm.csv");
    while (!expected.empty()) {
      const auto of_point = take_equal(expected, {"channels", "threads"});
      check_rows(gemm_rows(point(of_point.front())), of_point);
    }
  }

  TEST_CASE("40.13 timelines of public samples, of which one holds events from before its first step") {
    std::vector<CsvRow> expected = expected_rows("samples/timeline.csv");
    while (!expected.empty()) {
      const auto of_trace = take_equal(expected, {"trace", "scope"});
      check_rows(timeline_rows(sample(of_trace.front().at("trace")), of_trace.front().at("scope") == "all"), of_trace);
    }
  }

  TEST_CASE("40.17 GEMMs of public samples") {
    std::vector<CsvRow> expected = expected_rows("samples/gemm.csv");
    while (!expected.empty()) {
      const auto of_trace = take_equal(expected, {"trace"});
      check_rows(gemm_rows(sample(of_trace.front().at("trace"))), of_trace);
    }
  }

  TEST_CASE("40.18 40.19 40.24 40.26 40.27 the GEMMs that vary most in the project's own sweep, and why") {
    const auto expected = expected_rows("h200_overlap_28_56/topk.csv");
    if (!expected.empty()) check_rows(rows_of(table_csv(kernbench::traces::top_table(small_sweep(), {}, 5))), expected);
  }

  TEST_CASE("40.21 collectives of the project's own sweep") {
    const auto expected = expected_rows("h200_overlap_28_56/collectives.csv");
    if (!expected.empty()) check_points(collective_rows(small_sweep()), expected);
  }

  TEST_CASE("40.22 what ranks of the project's own sweep wait for each other") {
    const auto expected = expected_rows("h200_overlap_28_56/stragglers.csv");
    if (!expected.empty()) check_points(straggler_rows(small_sweep()), expected);
  }

  TEST_CASE("40.29 GEMM kernels of the project's own sweep, alone and beside communication") {
    const auto expected = expected_rows("h200_overlap_28_56/causes.csv");
    if (!expected.empty())
      check_points(rows_of(table_csv(kernbench::traces::slowdowns_table(small_sweep(), {}))), expected);
  }

  TEST_CASE("40.25 in the project's own sweep the four causes of each call add up to its excess") {
    using kernbench::traces::CausedCalls;
    const auto rows = rows_of(table_csv(kernbench::traces::causes_table(small_sweep(), {}, 5, CausedCalls::kAll)));
    CHECK(rows.size() == 544);  // 12 + 10 + 12 calls a rank
    for (const CsvRow& row : rows) {
      const auto value = [&row](const std::string& column) { return kernbench::read_number(row.at(column)).value(); };
      const double sum = value("kernel_us") + value("contention_us") + value("clock_us") + value("unexplained_us");
      CHECK(std::abs(sum - (value("duration_us") - value("best_us"))) < 1e-9);
      CHECK(std::abs(sum - value("excess_us")) < 1e-9);
    }
  }

  TEST_CASE("40.22 ranks by other numbers are rows in another order") {
    const auto in_order = read_traces(find_trace_files({kSweep / "28ch_256threads"}, ""), {});
    std::vector<PlacedTrace> turned = in_order;
    for (PlacedTrace& placed : turned) placed.rank = 3 - placed.rank;
    const auto other_rank = [](const std::string& rank) { return std::to_string(3 - std::stoi(rank)); };

    const auto ranks = straggler_rows(in_order);
    auto turned_ranks = straggler_rows(turned);
    std::ranges::reverse(turned_ranks);
    REQUIRE(ranks.size() == 4);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      CHECK(turned_ranks[i].at("rank") == other_rank(ranks[i].at("rank")));
      for (const char* column : {"wait_us", "times_last", "times_first", "collective_us", "straggler", "kept_by"}) {
        CHECK(turned_ranks[i].at(column) == ranks[i].at(column));
      }
    }
    const auto collectives = collective_rows(in_order);
    const auto turned_collectives = collective_rows(turned);
    REQUIRE(collectives.size() == turned_collectives.size());
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      CHECK(turned_collectives[i].at("last_rank") == other_rank(collectives[i].at("last_rank")));
      CHECK(turned_collectives[i].at("wait_rank1_us") == collectives[i].at("wait_rank2_us"));
      for (const char* column : {"latency_us", "start_skew_us", "end_skew_us", "busbw_gbs", "mostly"}) {
        CHECK(turned_collectives[i].at(column) == collectives[i].at(column));
      }
    }
  }
}
