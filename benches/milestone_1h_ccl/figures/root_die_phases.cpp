// The hierarchical all_reduce phase by phase, its root die in the centre and in a corner.
#include <algorithm>
#include <array>
#include <utility>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 7> kPhases{{{"die_reduce_scatter_ns", palette::kBlue},
                                                                      {"row_reduce_ns", palette::kSkyBlue},
                                                                      {"column_reduce_ns", palette::kGreen},
                                                                      {"package_exchange_ns", palette::kVermillion},
                                                                      {"column_broadcast_ns", palette::kYellow},
                                                                      {"row_broadcast_ns", palette::kOrange},
                                                                      {"die_all_gather_ns", palette::kPurple}}};

/// "row_reduce_ns" -> "row reduce"
std::string phase_label(std::string window) {
  window.erase(window.size() - 3);
  std::replace(window.begin(), window.end(), '_', ' ');
  return window;
}

/// One record a phase: it reaches from the end of the phase before to its own.
void add_phases(const Row& row, const Row* centre, Json& records) {
  Json record = row.point;
  record["size"] = format_quantity(record.at("bytes").get<std::int64_t>(), Dimension::kBytes);
  record["status"] = row.status;
  record["time_ns"] = metric(&row, kTime);
  record["centre_ns"] = metric(centre, kTime);
  double before = 0;
  for (const auto& [window, colour] : kPhases) {
    if (!row.windows.contains(window)) continue;
    const auto end = row.windows.at(window).get<double>();
    record["phase"] = phase_label(window);
    record["from_ns"] = before;
    record["to_ns"] = end;
    before = std::max(before, end);
    records.push_back(record);
  }
}

}  // namespace

Figure root_die_phases(const Results& sim) {
  const std::string title = "Hierarchical all_reduce on six packages: where the root die is";
  Json records = Json::array();
  std::vector<const Row*> rows;
  Json sizes = Json::array();
  for (const Row* corner : rows_where(sim, {{"root_die", "corner"}, {"derived", nullptr}})) {
    Json point = corner->point;
    point["root_die"] = "centre";
    const Row* centre = find_row(sim, point);
    for (const Row* row : {centre, corner}) {
      if (row == nullptr) continue;
      rows.push_back(row);
      add_phases(*row, centre, records);
    }
    sizes.push_back(format_quantity(corner->point.at("bytes").get<std::int64_t>(), Dimension::kBytes));
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": {"row": 10},
    "transform": [
      {"calculate": "datum.root_die == 'centre' || !isValid(datum.centre_ns) ? '' : '  (centre: ' + format(datum.centre_ns / datum.time_ns - 1, '+.1%') + ')'", "as": "won"},
      {"filter": "isValid(datum.to_ns)"}
    ],
    "facet": {"row": {"field": "size", "type": "nominal", "title": "size per PE",
                      "header": {"labelAngle": 0, "labelAlign": "left", "labelFontSize": 12.5, "labelPadding": 4}}},
    "spec": {
      "width": 560,
      "height": {"step": 24},
      "encoding": {
        "y": {"field": "root_die", "type": "nominal", "title": null, "sort": ["centre", "corner"],
              "axis": {"grid": false, "ticks": false, "domain": false}}
      },
      "layer": [
        {"mark": {"type": "bar"},
         "encoding": {
           "x": {"field": "from_ns", "type": "quantitative", "title": "time since the start (ns)", "axis": {"format": ",d"}},
           "x2": {"field": "to_ns"},
           "tooltip": [{"field": "size"}, {"field": "root_die", "title": "root die"}, {"field": "phase"},
                       {"field": "from_ns", "title": "phase before ends (ns)", "format": ","},
                       {"field": "to_ns", "title": "ends (ns)", "format": ","}]}},
        {"transform": [{"aggregate": [{"op": "max", "field": "time_ns", "as": "time_ns"}], "groupby": ["size", "root_die", "won"]}],
         "mark": {"type": "text", "align": "left"},
         "encoding": {"x": {"value": 568}, "text": {"field": "printed"}}}
      ]
    }
  })json");
  Json domain = Json::array();
  Json range = Json::array();
  for (const auto& [window, colour] : kPhases) {
    domain.push_back(phase_label(window));
    range.push_back(colour);
  }
  Json& unit = spec["spec"];
  Json& bars = unit["layer"][0];
  bars["params"] = Json::array({legend_selection("phase")});
  bars["encoding"]["opacity"] = if_selected();
  bars["encoding"]["color"] = {{"field", "phase"},
                               {"type", "nominal"},
                               {"title", nullptr},
                               {"legend", {{"columns", 4}}},
                               {"scale", {{"domain", domain}, {"range", range}}}};
  unit["layer"][1]["transform"].push_back({{"calculate", time_text("time_ns") + " + datum.won"}, {"as", "printed"}});
  spec["facet"]["row"]["sort"] = sizes;
  std::vector<std::string> notes = {
      "Torus of 2×3 packages, slots in TCM. Phases overlap: a piece reaches from the end of the phase before to the "
      "phase's own end."};
  for (const std::string& note : failed_note(rows)) notes.push_back(note);
  spec["title"] = figure_title(title, sim, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  return {"root_die_phases", title, std::move(spec)};
}

}  // namespace kernbench
