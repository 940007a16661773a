// The figures of kernels beside communication, waits, busbw and the ranks around the longest call: their numbers are
// those of the tables.
#include <doctest/doctest.h>

#include "benches/results/figures/draw_svg.hpp"
#include "benches/traces/report/trace_figures.hpp"
#include "tests/trace_report/sample_tables.hpp"

namespace kernbench::traces {
namespace {

using Type = TraceColumn::Type;
using Cells = std::vector<TraceCell>;

/// gemm_calls with kernel_us, share_pct and kernel: square GEMMs of `size`.
struct Beside {
  std::int64_t channels = 0;
  std::int64_t size = 0;
  double share = 0;
  double time_us = 0;
};

constexpr std::int64_t kBatch = 1;

void add_shape(Cells& row, std::int64_t size) {
  add_shape_cells(row, {"aten::mm", size, size, size, kBatch, 0, "BFloat16", "BFloat16", "BFloat16", "", "NN"});
}

TraceTable calls_of(const std::vector<Beside>& calls) {
  TraceTable table{"gemm_calls", {{"channels", "", Type::kInteger}, {"rank", "", Type::kInteger}}, {}};
  add_shape_columns(table);
  table.columns.push_back({"call", "", Type::kInteger});
  table.columns.push_back({"time_us", "µs", Type::kTime});
  table.columns.push_back({"kernel_us", "µs", Type::kTime});
  table.columns.push_back({"share_pct", "%", Type::kReal});
  table.columns.push_back({"kernel", "", Type::kText});
  for (const Beside& call : calls) {
    Cells row{call.channels, std::int64_t{0}};
    add_shape(row, call.size);
    row.emplace_back(std::int64_t{0});
    row.emplace_back(sample::microseconds(call.time_us + 1));
    row.emplace_back(sample::microseconds(call.time_us));
    row.emplace_back(call.share);
    row.emplace_back(std::string("k"));
    table.add_row(std::move(row));
  }
  return table;
}

struct Fit {
  std::int64_t channels = 0;
  std::int64_t size = 0;
  double base_us = 0;
  double slope = 0;
  std::int64_t samples = 0;
};

TraceTable slowdowns_of(const std::vector<Fit>& fits) {
  TraceTable table{"slowdowns", {{"channels", "", Type::kInteger}}, {}};
  add_shape_columns(table);
  table.columns.push_back({"base_us", "µs", Type::kTime});
  table.columns.push_back({"baseline", "", Type::kText});
  table.columns.push_back({"base_samples", "", Type::kInteger});
  table.columns.push_back({"contention_slope", "", Type::kReal});
  table.columns.push_back({"contention_samples", "", Type::kInteger});
  table.columns.push_back({"kernel", "", Type::kText});
  for (const Fit& fit : fits) {
    Cells row{fit.channels};
    add_shape(row, fit.size);
    row.emplace_back(sample::microseconds(fit.base_us));
    row.emplace_back(std::string("point"));
    row.emplace_back(std::int64_t{5});
    row.push_back(fit.samples == 0 ? TraceCell() : TraceCell(fit.slope));
    row.emplace_back(fit.samples);
    row.emplace_back(std::string("k"));
    table.add_row(std::move(row));
  }
  return table;
}

/// Collectives of one group at points of `channels`: two ranks' waits.
struct Waited {
  std::int64_t channels = 0;
  double wait0_us = 0;
  double wait1_us = 0;
  std::int64_t bytes = 0;
  double busbw = 0;
  double alone_us = 0;  ///< 0: not known
};

TraceTable collectives_of(const std::vector<Waited>& collectives) {
  TraceTable table{"collectives", {{"channels", "", Type::kInteger}}, {}};
  for (const char* name : {"group", "collective", "group_ranks"}) table.columns.push_back({name, "", Type::kText});
  for (const char* name : {"index", "ranks", "bytes", "last_rank"}) table.columns.push_back({name, "", Type::kInteger});
  for (const char* name : {"latency_us", "alone_us", "wait_rank0_us", "wait_rank1_us"}) {
    table.columns.push_back({name, "µs", Type::kTime});
  }
  table.columns.push_back({"busbw_gbs", "GB/s", Type::kReal});
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    const Waited& one = collectives[i];
    const auto time = [](double us) { return us > 0 ? TraceCell(sample::microseconds(us)) : TraceCell(); };
    table.add_row({one.channels, std::string("0"), std::string("allreduce"), std::string("[0, 1]"),
                   static_cast<std::int64_t>(i), std::int64_t{2}, one.bytes > 0 ? TraceCell(one.bytes) : TraceCell(),
                   std::int64_t{0}, sample::microseconds(50), time(one.alone_us), sample::microseconds(one.wait0_us),
                   sample::microseconds(one.wait1_us), one.bytes > 0 ? TraceCell(one.busbw) : TraceCell()});
  }
  return table;
}

/// Throws where there is none of that name.
Figure figure_of(const std::vector<TraceTable>& tables, const std::string& name) {
  for (Figure& figure : trace_figures(tables, "source")) {
    if (figure.name == name) return std::move(figure);
  }
  throw std::runtime_error("no figure " + name);
}

bool has_figure(const std::vector<TraceTable>& tables, const std::string& name) {
  for (const Figure& figure : trace_figures(tables, "source")) {
    if (figure.name == name) return true;
  }
  return false;
}

const Json& values(const Json& part) { return part.at("data").at("values"); }

std::string notes_of(const Figure& figure) { return figure.spec.at("title").at("subtitle").dump(); }

bool draws(const Figure& figure) { return !draw_svg({figure}).front().empty(); }

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.47 dots are calls, lines the tables' fits; the kernel that varies most comes first") {
    const TraceTable calls = calls_of(
        {{1, 64, 0, 100}, {1, 64, 60, 130}, {2, 64, 100, 150}, {1, 128, 0, 200}, {1, 128, 100, 290}, {1, 32, 0, 10}});
    const TraceTable fits =
        slowdowns_of({{1, 64, 100, 0.5, 1}, {2, 64, 101, 0.4, 7}, {1, 128, 200, 0.45, 1}, {1, 32, 10, 0, 0}});
    const Figure figure = figure_of({calls, fits}, "gemm_times_beside_communication");
    REQUIRE(figure.spec.at("concat").size() == 2);  // of 32 there is no fit
    const Json& first = figure.spec.at("concat").at(0);
    CHECK(first.at("title").at("text") == "mm 128×128×128 NN BFloat16");
    const Json& panel = figure.spec.at("concat").at(1);
    CHECK(panel.at("title").at("subtitle") == Json{"k", "3 calls; slopes of 1 to 7 of them"});
    const Json& dots = values(panel.at("layer").at(0));
    REQUIRE(dots.size() == 3);
    CHECK(dots[1].at("share") == 60.0);
    CHECK(dots[1].at("time") == 130.0);  // the kernel alone
    CHECK(dots[2].at("point") == "channels 2");
    const Json& lines = values(panel.at("layer").at(1));
    REQUIRE(lines.size() == 2);
    CHECK(lines[1].at("base") == 101.0);
    CHECK(lines[1].at("slope") == 0.4);
    CHECK(lines[1].at("samples") == 7.0);
    CHECK(draws(figure));
  }

  TEST_CASE("40.47 of many calls every n-th is a dot, of many points colours are an axis's") {
    std::vector<Beside> many(1501, {1, 64, 50, 100});
    const TraceTable fits = slowdowns_of({{1, 64, 100, 0.5, 9}});
    const Figure thin = figure_of({calls_of(many), fits}, "gemm_times_beside_communication");
    CHECK(values(thin.spec.at("concat").at(0).at("layer").at(0)).size() == 751);
    CHECK(notes_of(thin).find("more than 1500") != std::string::npos);
    CHECK(draws(thin));
    std::vector<Fit> points;
    for (int i = 0; i < 9; ++i) points.push_back({i, 64, 100, 0.5, 9});
    const Figure plain = figure_of({calls_of(many), slowdowns_of(points)}, "gemm_times_beside_communication");
    CHECK_FALSE(plain.spec.at("concat").at(0).at("layer").at(1).at("encoding").contains("color"));
    CHECK(values(plain.spec.at("concat").at(0).at("layer").at(1)).size() == 9);
  }

  TEST_CASE("40.47 a kernel's long name does not make the figure wide") {
    TraceTable calls = calls_of({{1, 64, 0, 100}, {1, 64, 60, 130}});
    TraceTable fits = slowdowns_of({{1, 64, 100, 0.5, 1}});
    const std::string name = "Cijk_" + std::string(5000, 'x') + "_end";
    for (TraceTable* table : {&calls, &fits}) {
      for (std::vector<TraceCell>& row : table->rows) row.back() = name;
    }
    const Figure figure = figure_of({calls, fits}, "gemm_times_beside_communication");
    const auto subtitle = figure.spec.at("concat").at(0).at("title").at("subtitle").at(0).get<std::string>();
    CHECK(subtitle.size() <= 48);
    CHECK(subtitle.ends_with("_end"));
    const std::string svg = draw_svg({figure}).front();
    CHECK(std::stoi(svg.substr(svg.find(" width=\"") + 8)) <= 900);
  }

  TEST_CASE("40.48 a cell a collective and rank; the longest waits stay, and the title says so") {
    std::vector<Waited> waited;
    for (int i = 0; i < 30; ++i) waited.push_back({1, 1.0 * i, 0});
    waited.push_back({2, 0, 7.5});
    waited.push_back({3, 0, 0});
    const Figure figure = figure_of({calls_of({{1, 64, 0, 1}}), collectives_of(waited)}, "collective_waits");
    REQUIRE(figure.spec.at("concat").size() == 2);  // nobody waits with 3 channels
    CHECK(figure.spec.at("concat").at(0).at("title").at("text") == "channels 1");
    CHECK(figure.spec.at("concat").at(0).at("title").at("subtitle") == "24 of 30 collectives");
    const Json& cells = values(figure.spec.at("concat").at(0));
    REQUIRE(cells.size() == 48);
    CHECK(cells[0].at("collective") == "6");
    CHECK(cells[0].at("rank") == "0");
    CHECK(cells[0].at("wait") == 6.0);
    CHECK(cells[47].at("collective") == "29");
    const Json& other = figure.spec.at("concat").at(1);
    CHECK(values(other)[1].at("wait") == 7.5);
    CHECK(other.at("encoding").at("color").at("scale").at("domain") == Json{0, 29.0});
    CHECK(notes_of(figure).find("the 24 in which") != std::string::npos);
    CHECK(draws(figure));
  }

  TEST_CASE("40.48 process groups of a point have a panel each") {
    TraceTable collectives = collectives_of({{1, 5, 0}, {1, 0, 6}});
    collectives.rows[1][1] = std::string("1");       // the group
    collectives.rows[1][3] = std::string("[2, 3]");  // its ranks
    const Figure figure = figure_of({calls_of({{1, 64, 0, 1}}), collectives}, "collective_waits");
    REQUIRE(figure.spec.at("concat").size() == 2);
    CHECK(figure.spec.at("concat").at(0).at("title").at("text") == "channels 1, group 0 [0, 1]");
    CHECK(figure.spec.at("concat").at(1).at("title").at("text") == "channels 1, group 1 [2, 3]");
    CHECK(values(figure.spec.at("concat").at(1)).size() == 2);
  }

  TEST_CASE("40.48 of many points those with the longest waits") {
    std::vector<Waited> waited;
    for (int i = 0; i < 10; ++i) waited.push_back({i, i == 3 ? 0.5 : 10.0 + i, 0});
    const Figure figure = figure_of({calls_of({{1, 64, 0, 1}}), collectives_of(waited)}, "collective_waits");
    REQUIRE(figure.spec.at("concat").size() == 8);
    CHECK(figure.spec.at("concat").at(0).at("title").at("text") == "channels 1");
    CHECK(figure.spec.at("concat").at(2).at("title").at("text") == "channels 4");
    CHECK(notes_of(figure).find("Of 10 groups and points the 8") != std::string::npos);
  }

  TEST_CASE("40.49 busbw of each collective, and once a size what it reaches alone") {
    const Figure figure =
        figure_of({calls_of({{1, 64, 0, 1}}),
                   collectives_of({{1, 0, 0, 1024, 3, 25}, {1, 0, 0, 1024, 4, 25}, {1, 0, 0, 4096, 9}, {1, 0, 0, 0}})},
                  "collective_busbw");
    const Json& layers = figure.spec.at("concat").at(0).at("layer");
    REQUIRE(layers.size() == 2);
    const Json& dots = values(layers.at(0));
    REQUIRE(dots.size() == 3);  // one has no size
    CHECK(dots[1].at("busbw") == 4.0);
    CHECK(dots[2].at("bytes") == 4096.0);
    CHECK(dots[2].at("kind") == "allreduce of 2 ranks");
    CHECK(layers.at(0).at("encoding").at("x").at("scale").at("type") == "log");
    CHECK(layers.at(0).at("encoding").at("x").at("scale").at("domain") == Json{512.0, 8192.0});
    const Json& alone = values(layers.at(1));
    REQUIRE(alone.size() == 2);  // the second has no time alone: the transform leaves it out
    CHECK(alone[0].at("busbw") == 3.0);
    CHECK(alone[0].at("latency") == 50.0);
    CHECK(alone[0].at("alone") == 25.0);
    CHECK(layers.at(1).at("transform").at(1).at("calculate") == "datum.busbw * datum.latency / datum.alone");
    CHECK(draws(figure));
  }

  TEST_CASE("40.33 figures say which ranks are missing, and that what they show is at least that") {
    const std::vector<Waited> waited{{1, 5, 0, 1024, 3}, {1, 0, 6, 4096, 9}};
    TraceTable table = collectives_of(waited);
    table.columns.push_back({"missing_ranks", "", Type::kText});
    for (std::vector<TraceCell>& row : table.rows) row.emplace_back(std::string("2, 3"));
    const Figure waits = figure_of({calls_of({{1, 64, 0, 1}}), table}, "collective_waits");
    CHECK(waits.spec.at("concat").at(0).at("title").at("subtitle") == "ranks missing: 2, 3");
    CHECK(notes_of(waits).find("Where ranks are missing it is at least that long.") != std::string::npos);
    const Figure busbw = figure_of({calls_of({{1, 64, 0, 1}}), table}, "collective_busbw");
    const Json& dots = values(busbw.spec.at("concat").at(0).at("layer").at(0));
    CHECK(dots[0].at("kind") == "allreduce of 2 ranks, some missing: at least");
    const Figure whole = figure_of({calls_of({{1, 64, 0, 1}}), collectives_of(waited)}, "collective_waits");
    CHECK_FALSE(whole.spec.at("concat").at(0).at("title").contains("subtitle"));
    CHECK(notes_of(whole).find("missing") == std::string::npos);
  }

  TEST_CASE("40.51 a lane a stream, a bar an event, the call outlined") {
    TraceTable table{"around_longest", {{"channels", "", Type::kInteger}, {"rank", "", Type::kInteger}}, {}};
    for (const char* name : {"stream", "activity", "name"}) table.columns.push_back({name, "", Type::kText});
    for (const char* name : {"start_us", "duration_us"}) table.columns.push_back({name, "µs", Type::kTime});
    table.columns.push_back({"longest_call", "", Type::kText});
    for (const char* name : {"ends_us", "shift_us"}) table.columns.push_back({name, "µs", Type::kTime});
    const auto add = [&table](std::int64_t rank, const char* stream, const char* activity, double start,
                              double duration, bool is_call, double shift) {
      table.add_row({std::int64_t{70}, rank, std::string(stream), std::string(activity), std::string("k"),
                     sample::microseconds(start), sample::microseconds(duration), std::string(is_call ? "yes" : ""),
                     sample::microseconds(rank == 0 ? 0 : -12), sample::microseconds(shift)});
    };
    add(0, "0/7", "computation", 0, 100, true, 0);
    add(0, "0/19", "communication", -30, 90, false, 0);
    add(1, "1/7", "computation", 10, 100, false, 0);
    add(1, "2/7", "copy", 10.5, 1, false, 0);
    const Figure figure = figure_of({table}, "around_longest_call");
    const Json& bars = values(figure.spec);
    REQUIRE(bars.size() == 4);
    CHECK(bars[1].at("lane") == "rank 0 · stream 19");
    CHECK(bars[1].at("start") == -30.0);
    CHECK(bars[1].at("duration") == 90.0);
    CHECK(bars[2].at("lane") == "rank 1 · stream 1/7");  // another is 7, too
    CHECK(bars[0].at("longest_call") == "yes");
    CHECK(figure.spec.at("encoding").at("x").at("scale").at("domain") == Json{-200.0, 300.0});
    CHECK(figure.spec.at("layer").at(0).at("encoding").at("color").at("scale").at("domain") ==
          Json{"computation", "communication", "copy"});
    CHECK(notes_of(figure).find("rank 0 of channels 70") != std::string::npos);
    CHECK(notes_of(figure).find("by −12 to 0 µs (medians)") != std::string::npos);
    CHECK(draws(figure));
    table.rows.clear();
    add(0, "0/7", "computation", 0, 100, true, 0);
    add(1, "1/7", "computation", 10, 100, false, 2000);
    CHECK(notes_of(figure_of({table}, "around_longest_call")).find("rank 1 by +2000.000 µs") != std::string::npos);
  }

  TEST_CASE("40.52 a figure that there is nothing for is left out") {
    const TraceTable calls = calls_of({{1, 64, 0, 100}});
    const std::vector<TraceTable> tables{calls, slowdowns_of({{1, 64, 100, 0, 0}}), collectives_of({{1, 0, 0}}),
                                         TraceTable{"around_longest", calls.columns, {}}};
    for (const char* name :
         {"gemm_times_beside_communication", "collective_waits", "collective_busbw", "around_longest_call"}) {
      CHECK_FALSE(has_figure(tables, name));
    }
    CHECK(has_figure(tables, "gemm_times"));
  }
}

}  // namespace kernbench::traces
