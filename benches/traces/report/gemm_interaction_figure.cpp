// GEMM times over two axes at once.
#include <functional>
#include <utility>

#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/traces/report/distribution.hpp"
#include "benches/traces/report/figure_parts.hpp"
#include "benches/traces/report/trace_figures.hpp"

namespace kernbench::traces {
namespace {

constexpr int kLinesWidth = 218;
constexpr int kLinesHeight = 220;

/// A record a combination; a null median where no call has it, so that lines have gaps there.
void add_medians(Json& records, const GemmAxis& across, const GemmAxis& lines, const Json& fields,
                 const std::function<std::vector<double>(const std::string&, const std::string&)>& times_at) {
  for (const std::string& line : lines.values) {
    for (const std::string& value : across.values) {
      const std::vector<double> times = times_at(value, line);
      Json record = fields;
      record.update({{"value", value}, {"line", line}, {"calls", times.size()}});
      record["median"] = times.empty() ? Json() : Json(box_summary(times).median);
      records.push_back(std::move(record));
    }
  }
}

Json lines_panel(const Json& records, const GemmAxis& across, const GemmAxis& lines,
                 const std::vector<std::string>& runs) {
  Json panel = Json::parse(R"json({
    "mark": {"type": "line", "point": {"size": 45}, "strokeWidth": 2, "invalid": "break-paths-filter-domains"},
    "encoding": {
      "x": {"field": "value", "type": "nominal", "axis": {"labelAngle": 0, "labelOverlap": true}},
      "y": {"field": "median", "type": "quantitative", "title": "median time of a call (µs)", "scale": {"zero": false}},
      "color": {"field": "line", "type": "nominal"},
      "tooltip": [{"field": "value"}, {"field": "line"}, {"field": "calls"},
                  {"field": "median", "title": "median (µs)", "format": ",.3f"}]
    }
  })json");
  panel["width"] = kLinesWidth;
  panel["height"] = kLinesHeight;
  panel["data"] = {{"values", records}};
  panel["encoding"]["x"]["title"] = across.name;
  panel["encoding"]["x"]["scale"] = {{"domain", across.values}};
  panel["encoding"]["color"]["title"] = lines.name;
  panel["encoding"]["color"]["scale"] = colour_scale(lines.values);
  panel["encoding"]["tooltip"][0]["title"] = across.name;
  panel["encoding"]["tooltip"][1]["title"] = lines.name;
  if (!runs.empty()) {
    Json run{{"field", kRunAxis}, {"type", "nominal"}, {"sort", runs}, {"title", nullptr}};
    panel["encoding"]["shape"] = run;
    run["legend"] = nullptr;  // that of the shapes stands for the dashes, too
    panel["encoding"]["strokeDash"] = std::move(run);
    panel["encoding"]["tooltip"].push_back({{"field", kRunAxis}});
  }
  return panel;
}

}  // namespace

Figure gemm_interaction_figure(const GemmTimes& times, const GemmAxis& across, const GemmAxis& lines,
                               const std::string& source) {
  const std::string title = "Times of GEMM calls over " + across.name + " and " + lines.name;
  const std::vector<std::string> runs = times.runs();
  std::vector<Json> panels;
  for (std::size_t gemm = 0; gemm < times.gemms.size(); ++gemm) {
    Json records = Json::array();
    if (runs.empty()) {
      add_medians(records, across, lines, Json::object(), [&](const std::string& value, const std::string& line) {
        return times.times(gemm, {{across.name, value}, {lines.name, line}});
      });
    }
    for (const std::string& run : runs) {
      add_medians(records, across, lines, {{kRunAxis, run}}, [&](const std::string& value, const std::string& line) {
        return times.times(gemm, {{across.name, value}, {lines.name, line}, {kRunAxis, run}});
      });
    }
    panels.push_back(lines_panel(records, across, lines, runs));
  }
  Json spec = panels_of_gemms(times, std::move(panels));
  spec["title"] = figure_title(
      title, source,
      gemm_notes(times, "Parallel lines: the axes act each by itself. Combinations that were not traced are gaps."));
  return {"gemm_times_over_" + file_word(across.name) + "_and_" + file_word(lines.name), title, std::move(spec)};
}

}  // namespace kernbench::traces
