// Time and bus bandwidth over the size: of all_reduce, a panel a scale; of the other collectives on a die.
#include <utility>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_ccl/figures/lines.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"

namespace kernbench {
namespace {

/// A panel and the points that it shows.
struct Panel {
  std::string title;
  Json fields;
};

const std::vector<Panel>& scales() {
  static const std::vector<Panel> kPanels = {
      {"die", {{"collective", "all_reduce"}, {"scale", "die"}, {"pes", nullptr}}},
      {"package", {{"collective", "all_reduce"}, {"scale", "package"}, {"pes", nullptr}}},
      {"six packages, torus",
       {{"collective", "all_reduce"},
        {"scale", "system"},
        {"arrangement", "torus"},
        {"packages", "2x3"},
        {"tier", "tcm"}}}};
  return kPanels;
}

/// "die: 8 ranks", by what its rows say.
std::string panel_title(const Panel& panel, const std::vector<const Row*>& rows) {
  for (const Row* row : rows) {
    if (row->metrics.has(kRankCount))
      return panel.title + ": " + std::to_string(row->metrics.at(kRankCount)) + " ranks";
  }
  return panel.title;
}

struct Shown {
  std::vector<LineRecord> lines;
  std::vector<const Row*> rows;
  std::vector<std::string> panels;
};

Shown rows_of(const std::vector<Panel>& panels, const Results& sim, bool with_ranks) {
  Shown shown;
  for (const Panel& panel : panels) {
    const std::vector<const Row*> rows = rows_where(sim, panel.fields);
    const std::string title = with_ranks ? panel_title(panel, rows) : panel.title;
    for (const Row* row : rows) {
      if (row->point.contains("derived") || row->point.value("root_die", "") == "corner") continue;
      shown.lines.push_back({row, title});
      shown.rows.push_back(row);
    }
    shown.panels.push_back(title);
  }
  return shown;
}

Figure draw(const std::string& name, const std::string& title, std::vector<std::string> notes, const Results& sim,
            const Results& theory, const Shown& shown, LineChart chart) {
  chart.colour = algorithm_colour(shown.rows);
  chart.series = "algorithm";
  chart.panels = shown.panels;
  chart.tooltip = collective_tooltip();
  Json spec = line_chart(chart);
  for (const std::string& note : failed_note(shown.rows)) notes.push_back(note);
  spec["title"] = figure_title(title, sim, notes);
  spec["data"] = {{"values", line_records(shown.lines, theory)}};
  return {name, title, std::move(spec)};
}

LineChart time_chart(int width, int height) {
  LineChart chart;
  chart.x = size_channel("bytes", "size (log scale)");
  chart.y = time_channel("time_ns", "time (log scale)");
  chart.bound = time_channel("bound_time_ns", "time (log scale)");
  chart.width = width;
  chart.height = height;
  return chart;
}

}  // namespace

Figure latency_vs_size(const Results& sim, const Results& theory) {
  return draw("latency_vs_size", "all_reduce: time by size and algorithm",
              {"From the start of the kernel to the end of the last rank. Size: one rank's buffer."}, sim, theory,
              rows_of(scales(), sim, true), time_chart(240, 320));
}

Figure busbw_vs_size(const Results& sim, const Results& theory) {
  LineChart chart = time_chart(240, 300);
  const auto bandwidth = [](const char* field) {
    return Json{
        {"field", field}, {"type", "quantitative"}, {"title", "bus bandwidth (GB/s)"}, {"axis", {{"format", ",d"}}}};
  };
  chart.y = bandwidth("busbw_gbs");
  chart.bound = bandwidth("bound_busbw_gbs");
  return draw(
      "busbw_vs_size", "all_reduce: bus bandwidth by size and algorithm",
      {"busbw = size ÷ time × 2(n−1)/n, as nccl-tests defines it. Where the buffers leave TCM for HBM, it falls."}, sim,
      theory, rows_of(scales(), sim, true), std::move(chart));
}

Figure collectives_on_a_die(const Results& sim, const Results& theory) {
  std::vector<Panel> panels;
  for (const char* collective : {"reduce_scatter", "all_gather", "broadcast", "reduce", "all_to_all"}) {
    panels.push_back({collective, {{"collective", collective}, {"scale", "die"}}});
  }
  const Shown shown = rows_of(panels, sim, false);
  Figure figure = draw(
      "collectives_on_a_die", "The other collectives on a die: time by size and algorithm",
      {"Size: the whole buffer of a rank; of an all_gather the one it fills, of a reduce_scatter the one it reads."},
      sim, theory, shown, time_chart(235, 210));
  Json& facet = figure.spec["facet"];
  const Json column = facet["column"];
  facet = column;
  facet["type"] = "nominal";
  figure.spec["columns"] = 3;
  figure.spec["spacing"] = {{"row", 24}, {"column", 22}};
  return figure;
}

}  // namespace kernbench
