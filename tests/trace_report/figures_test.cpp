// The numbers in the figures of traces are those of the tables.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

#include "benches/results/figures/draw_svg.hpp"
#include "benches/traces/report/trace_figures.hpp"
#include "tests/trace_report/sample_tables.hpp"

namespace kernbench::traces {
namespace {

/// Two channels, two thread counts, without 2 × 512; two ranks; the larger GEMM takes more time.
std::vector<sample::Call> some_calls() {
  return {{1, 256, 0, 64, 10}, {1, 256, 1, 64, 12}, {1, 512, 0, 64, 20},  {1, 512, 1, 64, 30},
          {2, 256, 0, 64, 40}, {2, 256, 1, 64, 41}, {1, 256, 0, 128, 300}};
}

std::vector<Figure> figures_of(const std::vector<sample::Call>& calls) {
  return trace_figures({sample::calls_table(calls)}, "source");
}

const Figure& figure(const std::vector<Figure>& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  REQUIRE_MESSAGE(found != figures.end(), name);
  return *found;
}

std::vector<std::string> names_of(const std::vector<Figure>& figures) {
  std::vector<std::string> names;
  for (const Figure& one : figures) names.push_back(one.name);
  return names;
}

/// The record of a panel's data with these fields.
Json record(const Json& values, const Json& fields) {
  for (const Json& candidate : values) {
    bool is_it = true;
    for (const auto& [name, value] : fields.items()) is_it = is_it && candidate.value(name, Json()) == value;
    if (is_it) return candidate;
  }
  FAIL("no record " << fields.dump());
  return {};
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.41 40.43 box plots over each axis, a panel a GEMM, by time") {
    const std::vector<Figure> figures = figures_of(some_calls());
    CHECK(names_of(figures) == std::vector<std::string>{"gemm_times_over_channels", "gemm_times_over_threads",
                                                        "gemm_times_over_rank", "gemm_times_over_channels_and_threads",
                                                        "gemm_time_densities"});
    const Json& spec = figure(figures, "gemm_times_over_threads").spec;
    REQUIRE(spec.at("concat").size() == 2);
    CHECK(spec.at("concat").at(0).at("title").at("text") == "mm 128×128×128 NN BFloat16");
    CHECK(spec.at("concat").at(0).at("data").at("values").size() == 1);
    const Json& boxes = spec.at("concat").at(1).at("data").at("values");
    REQUIRE(boxes.size() == 2);
    const Json box = record(boxes, {{"value", "256"}});
    CHECK(box.at("calls") == 4);
    CHECK(box.at("low") == 10.0);
    CHECK(box.at("q1") == 11.5);
    CHECK(box.at("median") == 26.0);
    CHECK(box.at("q3") == 40.25);
    CHECK(box.at("high") == 41.0);
    CHECK(record(boxes, {{"value", "512"}}).at("median") == 25.0);
  }

  TEST_CASE("40.43 a combination without calls has no value; drawn, its line has a gap") {
    std::vector<sample::Call> calls = some_calls();
    calls.push_back({4, 512, 0, 64, 50});
    calls.push_back({4, 256, 0, 64, 45});
    const std::vector<Figure> figures = figures_of(calls);
    const Figure& both = figure(figures, "gemm_times_over_channels_and_threads");
    const Json& records = both.spec.at("concat").at(1).at("data").at("values");
    CHECK(records.size() == 6);
    CHECK(record(records, {{"value", "1"}, {"line", "512"}}).at("median") == 25.0);
    const Json gap = record(records, {{"value", "2"}, {"line", "512"}});
    CHECK(gap.at("median").is_null());
    CHECK(gap.at("calls") == 0);
    // The line of 512, the second: two points, and nothing from one to the other.
    const std::string svg = draw_svg({both}).front();
    const std::regex line_of_512("d=\"(M[^\"]*)\" stroke=\"#E69F00\"");
    std::smatch path;
    REQUIRE(std::regex_search(svg, path, line_of_512));
    CHECK(std::ranges::count(path.str(1), 'M') == 2);
    CHECK(std::ranges::count(path.str(1), 'L') == 0);
  }

  TEST_CASE("40.43 one axis is drawn with the ranks, none as one box a GEMM, more than six GEMMs not") {
    CHECK(names_of(figures_of({{1, 256, 0, 64, 10}, {1, 512, 0, 64, 20}, {1, 256, 1, 64, 11}, {1, 512, 1, 64, 21}})) ==
          std::vector<std::string>{"gemm_times_over_threads", "gemm_times_over_rank",
                                   "gemm_times_over_threads_and_rank", "gemm_time_densities"});
    std::vector<sample::Call> calls;
    for (int i = 1; i <= 8; ++i) calls.push_back({1, 256, 0, i, i * 1.5});
    const std::vector<Figure> figures = figures_of(calls);
    CHECK(names_of(figures) == std::vector<std::string>{"gemm_times", "gemm_time_densities"});
    const Json& spec = figures.front().spec;
    REQUIRE(spec.at("concat").size() == 6);
    CHECK(spec.at("concat").at(5).at("title").at("text") == "mm 3×3×3 NN BFloat16");
    CHECK(spec.at("title").at("subtitle").back().get<std::string>().find("2 others") != std::string::npos);
  }

  TEST_CASE("40.42 40.43 a violin a point, as wide as it gets, none of few calls") {
    std::vector<sample::Call> calls{{1, 256, 0, 64, 7}};
    for (const double time : {0.0, 1.0, 2.0, 3.0, 4.0}) calls.push_back({1, 512, 0, 64, time});
    const std::vector<Figure> figures = figures_of(calls);
    const Json& layers = figure(figures, "gemm_time_densities").spec.at("concat").at(0).at("layer");
    const Json& outline = layers.at(0).at("data").at("values");
    REQUIRE(outline.size() == 48);
    CHECK(outline.at(0).at("point") == "channels 1, threads 512");
    CHECK(outline.at(0).at("time") == 0.0);
    double widest = 0;
    for (const Json& at : outline) {
      widest = std::max(widest, at.at("to").get<double>() - at.at("from").get<double>());
      CHECK(at.at("to").get<double>() + at.at("from").get<double>() == doctest::Approx(2));  // around place 1
    }
    CHECK(widest == doctest::Approx(0.88));
    const Json& medians = layers.at(1).at("data").at("values");
    REQUIRE(medians.size() == 2);
    CHECK(medians.at(0).at("median") == 7.0);
    CHECK(medians.at(1).at("median") == 2.0);
  }

  TEST_CASE("40.44 a rank's bar is its row of the timeline") {
    using Type = TraceColumn::Type;
    TraceTable table{"timeline", {{"rank", "", Type::kInteger}}, {}};
    const std::vector<std::pair<const char*, double>> parts{
        {"computation_us", 5},       {"exposed_comm_us", 2.5}, {"exposed_copy_us", 0.5}, {"idle_host_us", 0.25},
        {"idle_dependency_us", 1.5}, {"idle_gap_us", 0.25},    {"idle_unknown_us", 0},   {"total_us", 10}};
    std::vector<TraceCell> row{std::int64_t{3}};
    for (const auto& [name, time] : parts) {
      table.columns.push_back({name, "µs", Type::kTime});
      row.emplace_back(sample::microseconds(time));
    }
    table.add_row(row);
    const std::vector<Figure> figures = trace_figures({table}, "source");
    REQUIRE(names_of(figures) == std::vector<std::string>{"timeline"});
    const Json& records = figures.front().spec.at("data").at("values");
    REQUIRE(records.size() == 7);
    double sum = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      CHECK(records.at(i).at("us") == parts[i].second);
      CHECK(records.at(i).at("total_us") == 10.0);
      CHECK(records.at(i).at("rank") == "3");
      sum += records.at(i).at("us").get<double>();
    }
    CHECK(sum == 10.0);
    CHECK(figures.front().spec.at("encoding").at("color").at("scale").at("domain").size() == 6);  // no idle: unknown
    CHECK_FALSE(draw_svg(figures).front().empty());
  }
}

}  // namespace kernbench::traces
