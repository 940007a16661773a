// The hierarchical all_reduce on six packages: how they are connected, and where the message slots lie.
#include <set>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_ccl/figures/lines.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"

namespace kernbench {

Figure tiers_and_arrangements(const Results& sim, const Results& theory) {
  const std::string title = "Hierarchical all_reduce on six packages: arrangements and slot tiers";
  LineChart chart;
  std::vector<LineRecord> lines;
  std::vector<const Row*> rows;
  std::set<Json> in_every_case;
  for (const Row* row : rows_where(sim, {{"arrangement", "ring"}, {"derived", nullptr}})) {
    in_every_case.insert(row->point.at("bytes"));
  }
  for (const char* arrangement : {"ring", "torus", "mesh"}) {
    chart.panels.emplace_back(arrangement);
    for (const Row* row : rows_where(sim, {{"algorithm", "hierarchical"}, {"arrangement", arrangement}})) {
      const std::string packages = row->point.value("packages", "");
      if (row->point.contains("derived") || row->point.value("root_die", "") == "corner") continue;
      if (packages == "1x2" || packages == "1x3" || !in_every_case.contains(row->point.at("bytes"))) continue;
      rows.push_back(row);
      lines.push_back({row, arrangement});
    }
  }
  chart.x = size_channel("bytes", "size per PE (log scale)");
  chart.y = time_channel("time_ns", "time (log scale)");
  chart.y["axis"]["values"] = {200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000};
  chart.bound = time_channel("bound_time_ns", "time (log scale)");
  chart.bound["axis"] = chart.y["axis"];
  chart.colour = {
      {"field", "tier"},
      {"type", "nominal"},
      {"title", "message slots in"},
      {"legend", {{"symbolType", "circle"}}},
      {"scale", {{"domain", {"tcm", "sram", "hbm"}}, {"range", {palette::kBlue, palette::kOrange, palette::kGreen}}}}};
  chart.series = "tier";
  chart.bound_each = true;
  chart.width = 240;
  chart.height = 300;
  chart.tooltip = collective_tooltip();
  chart.tooltip.insert(chart.tooltip.begin(), Json{{"field", "tier"}});
  Json spec = line_chart(chart);
  std::vector<std::string> notes = {"Root die in the centre. Ring: 1×6 packages; torus and mesh: 2×3."};
  for (const std::string& note : failed_note(rows)) notes.push_back(note);
  spec["title"] = figure_title(title, sim, notes);
  spec["data"] = {{"values", line_records(lines, theory)}};
  return {"tiers_and_arrangements", title, std::move(spec)};
}

}  // namespace kernbench
