#include "benches/gpu_predicted_training/training_figures.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/measured/cases/prediction_errors.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/results/statistics/rank_correlation.hpp"
#include "benches/workloads/training/training_metrics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr const char* kPredicted = "predicted";
constexpr const char* kMeasured = "measured";
constexpr const char* kUntouched = "nothing slows anything";
constexpr double kNsOfMs = 1e6;

std::string threads_words(const Row& row) { return row.point.at("threads").dump() + " threads"; }

std::vector<const Row*> measured_rows(const Results& predicted) {
  std::vector<const Row*> rows;
  for (const Row& row : predicted.rows) {
    if (is_counted(row)) rows.push_back(&row);
  }
  return rows;
}

/// The channels there are, as the ticks of an axis.
Json channel_ticks(const Results& predicted) {
  Json ticks = Json::array();
  for (const Row* row : measured_rows(predicted)) {
    const Json& channels = row->point.at("channels");
    if (std::ranges::find(ticks, channels) == ticks.end()) ticks.push_back(channels);
  }
  return {{"values", std::move(ticks)}};
}

template <class Name>
double in_ms(const Row& row, const Metric<double, Name>& metric) {
  return row.metrics.at(metric) / kNsOfMs;
}

/// Of the analysis of the measured trace, or of the simulated one.
Metric<double, std::string> of_trace(bool measured, const Metric<double>& metric) {
  return prefixed(measured ? kOfMeasured : "", metric);
}

Figure step_figure(const Results& predicted) {
  const std::string title = "A data-parallel step over NCCL's channels: predicted and measured";
  Json records = Json::array();
  for (const Row* row : measured_rows(predicted)) {
    for (const auto& [series, metric] :
         {std::pair{kPredicted, kTime}, {kMeasured, kMeasuredTime}, {kUntouched, kUntouchedTime}}) {
      records.push_back({{"channels", row->point.at("channels")},
                         {"threads", threads_words(*row)},
                         {"series", series},
                         {"ms", in_ms(*row, metric)}});
    }
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": 28,
    "facet": {"column": {"field": "threads", "type": "nominal", "title": null}},
    "spec": {
      "width": 300, "height": 240,
      "encoding": {
        "x": {"field": "channels", "type": "quantitative", "title": "channels that NCCL is asked for",
              "scale": {"zero": false, "nice": false, "padding": 16}},
        "y": {"field": "ms", "type": "quantitative", "title": "a step (ms)",
              "scale": {"zero": false, "nice": true}},
        "color": {"field": "series", "type": "nominal", "title": null}
      },
      "layer": [
        {"mark": {"type": "line", "strokeWidth": 2}, "transform": [{"filter": "datum.series != 'measured'"}],
         "encoding": {"strokeDash": {"condition": {"test": "datum.series == 'predicted'", "value": [1, 0]},
                                     "value": [5, 4]}}},
        {"mark": {"type": "point", "filled": true, "size": 60},
         "transform": [{"filter": "datum.series == 'measured'"}]},
        {"mark": {"type": "point", "opacity": 0, "size": 80},
         "encoding": {"tooltip": [{"field": "channels"}, {"field": "threads"}, {"field": "series"},
                                  {"field": "ms", "format": ".2f"}]}}
      ]
    }
  })json");
  spec["spec"]["encoding"]["x"]["axis"] = channel_ticks(predicted);
  spec["spec"]["encoding"]["color"]["scale"] = {{"domain", {kPredicted, kMeasured, kUntouched}},
                                                {"range", {palette::kBlue, palette::kOrange, palette::kGrey}}};
  spec["data"] = {{"values", std::move(records)}};
  spec["config"] = figure_config();
  spec["title"] = figure_title(title, predicted,
                               {"Steps one after the other, at the clock that the power limit allows. Nothing was "
                                "fitted to the measured ones.",
                                "Dashed: products and passes alone one after the other, then the last all_reduce. "
                                "The axis does not begin at 0."});
  return {"step_time", title, std::move(spec)};
}

/// What the analysis says of both traces of a row, stacked.
Figure where_figure(const Results& predicted) {
  const std::string title = "Where a traced step goes: analyses of the simulated and of the measured trace";
  constexpr std::array<std::pair<Metric<double>, const char*>, 3> kParts{
      {{kComputationTime, "computation"}, {kExposedCommTime, "exposed all_reduces"}, {kIdleTime, "idle"}}};
  Json records = Json::array();
  Json channels = Json::array();
  for (const Row* row : measured_rows(predicted)) {
    const std::string column = row->point.at("channels").dump() + " channels";
    if (std::ranges::find(channels, Json(column)) == channels.end()) channels.push_back(column);
    for (const bool measured : {false, true}) {
      for (std::size_t part = 0; part < kParts.size(); ++part) {
        records.push_back({{"channels", column},
                           {"threads", threads_words(*row)},
                           {"trace", measured ? "measured" : "simulated"},
                           {"part", kParts[part].second},
                           {"order", part},
                           {"ms", in_ms(*row, of_trace(measured, kParts[part].first))}});
      }
    }
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": 16,
    "facet": {"column": {"field": "channels", "type": "nominal", "title": null},
              "row": {"field": "threads", "type": "nominal", "title": null}},
    "spec": {
      "width": 130, "height": 180,
      "mark": {"type": "bar", "width": 44},
      "encoding": {
        "x": {"field": "trace", "type": "nominal", "title": null, "sort": ["simulated", "measured"],
              "axis": {"labelAngle": 0}},
        "y": {"field": "ms", "type": "quantitative", "title": "a step (ms)"},
        "color": {"field": "part", "type": "nominal", "title": null},
        "order": {"field": "order"},
        "tooltip": [{"field": "trace"}, {"field": "part"}, {"field": "ms", "format": ".3f"}]
      }
    }
  })json");
  spec["facet"]["column"]["sort"] = channels;
  spec["spec"]["encoding"]["color"]["scale"] = {{"domain", {"computation", "exposed all_reduces", "idle"}},
                                                {"range", {palette::kBlue, palette::kVermillion, palette::kPaleGrey}}};
  spec["data"] = {{"values", std::move(records)}};
  spec["config"] = figure_config();
  spec["title"] = figure_title(title, predicted,
                               {"Two steps after a pause, the mean over the ranks; together the whole trace.",
                                "Exposed: an all_reduce runs and no other kernel does."});
  return {"traced_step", title, std::move(spec)};
}

Figure costs_figure(const Results& predicted) {
  const std::string title = "What overlapping costs: analyses of the simulated and of the measured trace";
  struct Panel {
    Metric<double> metric;
    const char* words = "";
    double unit = 1;
  };
  constexpr std::array<Panel, 4> kPanels{{{kGemmSlowdown, "GEMMs, times as long as alone", 1},
                                          {kCommLatency, "all_reduces, all ranks there (ms)", kNsOfMs},
                                          {kCommTime, "all_reduces, waits included (ms)", kNsOfMs},
                                          {kExposedCommTime, "exposed all_reduces (ms)", kNsOfMs}}};
  Json records = Json::array();
  Json panels = Json::array();
  for (const Panel& panel : kPanels) {
    panels.push_back(panel.words);
    for (const Row* row : measured_rows(predicted)) {
      for (const bool measured : {false, true}) {
        const double value = row->metrics.at(of_trace(measured, panel.metric));
        records.push_back({{"panel", panel.words},
                           {"channels", row->point.at("channels")},
                           {"threads", threads_words(*row)},
                           {"trace", measured ? "measured" : "simulated"},
                           {"value", value / panel.unit}});
      }
    }
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "columns": 2, "spacing": 28,
    "facet": {"field": "panel", "type": "nominal", "title": null},
    "resolve": {"scale": {"y": "independent"}},
    "spec": {
      "width": 290, "height": 180,
      "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 50, "filled": true}},
      "encoding": {
        "x": {"field": "channels", "type": "quantitative", "title": "channels that NCCL is asked for",
              "scale": {"zero": false, "nice": false, "padding": 16}},
        "y": {"field": "value", "type": "quantitative", "title": null, "scale": {"zero": false, "nice": true}},
        "color": {"field": "trace", "type": "nominal", "title": null},
        "strokeDash": {"field": "threads", "type": "nominal", "legend": null},
        "shape": {"field": "threads", "type": "nominal", "title": null},
        "tooltip": [{"field": "trace"}, {"field": "channels"}, {"field": "threads"},
                    {"field": "value", "format": ".3f"}]
      }
    }
  })json");
  spec["facet"]["sort"] = panels;
  spec["spec"]["encoding"]["x"]["axis"] = channel_ticks(predicted);
  spec["spec"]["encoding"]["color"]["scale"] = {{"domain", {"simulated", "measured"}},
                                                {"range", {palette::kBlue, palette::kOrange}}};
  spec["data"] = {{"values", std::move(records)}};
  spec["config"] = figure_config();
  spec["title"] =
      figure_title(title, predicted, {"Lines of 256 threads are solid, of 512 dashed. Axes do not begin at 0."});
  return {"overlap_costs", title, std::move(spec)};
}

/// Whether who is to choose channels and threads may ask it.
std::string ranking_words(const Results& predicted) {
  std::vector<double> ours;
  std::vector<double> theirs;
  for (const Row* row : measured_rows(predicted)) {
    ours.push_back(row->metrics.at(kTime));
    theirs.push_back(row->metrics.at(kMeasuredTime));
  }
  const double agreement = ours.size() < 3 ? 0 : rank_correlation(ours, theirs);
  constexpr double kTells = 0.8;
  return std::string("Which of them is the fastest it ") + (agreement >= kTells ? "tells" : "does not tell") +
         formatted(" (rank correlation %.2f).", agreement);
}

}  // namespace

std::vector<Figure> training_figures(const Results& predicted, const Results& /*theory*/) {
  if (measured_rows(predicted).empty()) return {};
  return {step_figure(predicted), where_figure(predicted), costs_figure(predicted)};
}

std::string training_headline(const Results& predicted, const Results& /*theory*/) {
  for (const Row* row : rows_where(predicted, {{"derived", "error"}, {"of", "step"}})) {
    return "A step of data-parallel training is predicted within " + percent(row->metrics.at(kMeanError)) +
           " in the mean over " + std::to_string(row->metrics.at(kRowCount)) +
           " measured configurations; a step in which nothing slowed anything is " +
           percent(row->metrics.at(kUntouchedMeanError)) + " off. " + ranking_words(predicted);
  }
  return "";
}

}  // namespace kernbench
