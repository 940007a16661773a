// all_reduce on more and more PEs.
#include <algorithm>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_ccl/figures/lines.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

/// On one die and in one package, or on packages in a torus; slots in TCM, root in the centre; an algorithm and a size
/// that rows with a rank count of their own have.
bool belongs(const Row& row, const std::vector<const Row*>& counted) {
  const Json& point = row.point;
  if (point.contains("derived") || point.at("collective") != "all_reduce" || point.at("tier") != "tcm") return false;
  if (point.value("arrangement", "torus") != "torus" || point.value("root_die", "") == "corner") return false;
  return std::ranges::any_of(counted, [&point](const Row* other) {
    return other->point.at("algorithm") == point.at("algorithm") && other->point.at("bytes") == point.at("bytes");
  });
}

}  // namespace

Figure time_vs_ranks(const Results& sim, const Results& theory) {
  const std::string title = "all_reduce: time by number of ranks";
  std::vector<const Row*> counted;
  for (const Row& row : sim.rows) {
    if (row.point.contains("pes") && !row.point.contains("derived")) counted.push_back(&row);
  }
  std::vector<const Row*> rows;
  std::vector<LineRecord> lines;
  LineChart chart;
  for (const Row& row : sim.rows) {
    if (!belongs(row, counted)) continue;
    rows.push_back(&row);
    lines.push_back({&row, format_quantity(row.point.at("bytes").get<std::int64_t>(), Dimension::kBytes) + " a rank"});
    if (std::find(chart.panels.begin(), chart.panels.end(), lines.back().panel) == chart.panels.end()) {
      chart.panels.push_back(lines.back().panel);
    }
  }
  chart.x = Json::parse(R"json({
    "field": "bound_ranks", "type": "quantitative", "title": "ranks (log scale)",
    "scale": {"type": "log", "base": 2, "nice": false, "padding": 8},
    "axis": {"values": [2, 4, 8, 16, 32, 64, 128, 256, 384, 768],
             "labelExpr": "datum.value == 384 ? '' : datum.value + ''", "labelOverlap": false}})json");
  chart.y = time_channel("time_ns", "time (log scale)");
  chart.bound = time_channel("bound_time_ns", "time (log scale)");
  chart.colour = algorithm_colour(rows);
  chart.series = "algorithm";
  chart.width = 370;
  chart.height = 320;
  chart.tooltip = collective_tooltip();
  Json spec = line_chart(chart);
  std::vector<std::string> notes = {"The first PEs of a die, then dies of a package, then packages in a torus."};
  for (const std::string& note : failed_note(rows)) notes.push_back(note);
  spec["title"] = figure_title(title, sim, notes);
  spec["data"] = {{"values", line_records(lines, theory)}};
  return {"time_vs_ranks", title, std::move(spec)};
}

}  // namespace kernbench
