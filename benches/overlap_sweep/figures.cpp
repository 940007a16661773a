#include "benches/overlap_sweep/figures.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"

namespace kernbench {
namespace {

Json threads_scale() {
  return {{"range", {palette::kBlue, palette::kOrange, palette::kGreen, palette::kVermillion, palette::kPurple}}};
}

Json step_records(const Results& sim) {
  Json records = Json::array();
  for (const Row& row : sim.rows) {
    Json record = row.point;
    for (const char* name : {"time_ns", "gemm_ns", "comm_ns", "exposed_comm_ns", "gemm_slowdown"}) {
      record[name] = metric(&row, name);
    }
    records.push_back(std::move(record));
  }
  return records;
}

Figure step_time(const Results& sim) {
  const std::string title = "Step, GEMMs and all_reduces over channels and threads, simulated";
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "width": 560, "height": 320,
    "params": [],
    "mark": {"type": "line", "point": {"size": 80, "filled": true}},
    "encoding": {
      "x": {"field": "channels", "type": "quantitative", "title": "channels (PEs of a package that carry collectives)",
            "scale": {"zero": false, "nice": false, "padding": 20}, "axis": {"tickMinStep": 1}},
      "y": {"field": "us", "type": "quantitative", "title": "mean over steps and ranks (µs)"},
      "color": {"field": "threads", "type": "ordinal", "title": "threads"},
      "strokeDash": {"field": "what", "type": "nominal", "legend": null},
      "shape": {"field": "what", "type": "nominal", "title": null},
      "tooltip": [{"field": "what"}, {"field": "channels"}, {"field": "threads"},
                  {"field": "us", "title": "µs", "format": ".4~g"}]
    }
  })json");
  spec["title"] = figure_title(title, sim, {"Exposed: an all_reduce runs and no GEMM does."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", step_records(sim)}};
  spec["transform"] =
      Json::array({{{"fold", {"time_ns", "gemm_ns", "exposed_comm_ns"}}},
                   {{"filter", "isValid(datum.value)"}},
                   {{"calculate", "datum.value / 1000"}, {"as", "us"}},
                   {{"calculate", "datum.key == 'time_ns' ? 'step' : datum.key == 'gemm_ns' ? 'GEMMs' : 'exposed'"},
                    {"as", "what"}}});
  spec["params"] = Json::array({legend_selection("threads")});
  spec["encoding"]["color"]["scale"] = threads_scale();
  spec["encoding"]["opacity"] = if_selected();
  return {"step_time", title, std::move(spec)};
}

/// How much of [start, end) the rank's all_reduces run.
double overlap_share(const Json& gemm, const Json& collectives) {
  const std::int64_t start = gemm.at(0);
  const std::int64_t end = gemm.at(1);
  std::int64_t overlap = 0;
  for (const Json& collective : collectives) {
    overlap += std::max<std::int64_t>(
        0, std::min(end, collective.at(1).get<std::int64_t>()) - std::max(start, collective.at(0).get<std::int64_t>()));
  }
  return static_cast<double>(overlap) / static_cast<double>(end - start);
}

void add_gemms(const Row& row, Json& records) {
  if (row.timeline.empty()) return;
  const Json& planned = row.timeline.at("gemms");
  for (const Json& step : row.timeline.at("steps")) {
    for (const Json& rank : step) {
      for (std::size_t i = 0; i < planned.size(); ++i) {
        const Json& gemm = rank.at("gemms")[i];
        const double duration = gemm.at(1).get<double>() - gemm.at(0).get<double>();
        const double without = duration - gemm.at(5).get<double>();  // contention
        records.push_back({{"channels", row.point.at("channels")},
                           {"threads", row.point.at("threads")},
                           {"gemm", planned[i].at("name")},
                           {"pass", planned[i].at("pass")},
                           {"share", overlap_share(gemm, rank.at("collectives"))},
                           {"us", duration / 1e6},
                           {"slowdown", duration / without}});
      }
    }
  }
}

Figure gemm_overlap(const Results& sim) {
  const std::string title = "GEMMs' time against how much of it an all_reduce runs, simulated";
  Json records = Json::array();
  for (const Row& row : sim.rows) add_gemms(row, records);
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "width": 560, "height": 320,
    "mark": {"type": "point", "filled": true, "size": 45},
    "encoding": {
      "x": {"field": "share", "type": "quantitative", "title": "share of the GEMM's time in which an all_reduce runs",
            "scale": {"domain": [0, 1]}, "axis": {"format": ".0%"}},
      "y": {"field": "slowdown", "type": "quantitative", "title": "time ÷ time without collectives",
            "scale": {"zero": false, "nice": false, "padding": 20}},
      "color": {"field": "channels", "type": "ordinal", "title": "channels"},
      "shape": {"field": "threads", "type": "nominal", "title": "threads"},
      "tooltip": [{"field": "gemm"}, {"field": "channels"}, {"field": "threads"},
                  {"field": "us", "title": "µs", "format": ".5~g"},
                  {"field": "slowdown", "format": ".4f"}, {"field": "share", "format": ".1%"}]
    }
  })json");
  spec["title"] = figure_title(title, sim, {"A point: a GEMM of a step on a rank."});
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  spec["params"] = Json::array({legend_selection("channels")});
  spec["encoding"]["color"]["scale"] = threads_scale();
  spec["encoding"]["opacity"] = if_selected(0.8);
  return {"gemm_overlap", title, std::move(spec)};
}

}  // namespace

std::vector<Figure> overlap_sweep_figures(const Results& simulated, const Results&) {
  return {step_time(simulated), gemm_overlap(simulated)};
}

}  // namespace kernbench
