// Simulated operators beside implementations on real GPUs: shares of each machine's own peak, and which measured
// implementation is fastest.
#include <algorithm>
#include <utility>

#include "benches/operators/figures.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/measured.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/operator_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr const char* kBaseline = "pytorch";

struct Shown {
  Json records = Json::array();
  std::vector<std::string> series;
  std::vector<const Row*> simulated;
  std::vector<const Row*> measured;
};

/// Rows of a simulated point's operator, shape and dtype, with a flushed L2.
std::vector<const Row*> measured_of(const Results& measured, const Row& point) {
  Json fields{{"l2", "flushed"}};
  for (const char* axis : {"operation", "batch_size", "sequence_length", "tensor_dimension", "dtype"}) {
    fields[axis] = point.point.at(axis);
  }
  return rows_where(measured, fields);
}

Json record_of(const Row& row, const std::string& series) {
  return {{"operation", row.point.at("operation")},
          {"shape", operator_shape(row.point)},
          {"series", series},
          {"status", row.status},
          {"time_ns", metric(&row, kTime)},
          {"throughput_gbps", metric(&row, kThroughputGbps)}};
}

void add_series(Shown& shown, const std::string& series) {
  if (std::ranges::find(shown.series, series) == shown.series.end()) shown.series.push_back(series);
}

/// Each measured row of the simulated points, with PyTorch's of the same device where that is right.
Shown measured_rows(const Results& sim, const std::vector<Results>& measured) {
  Shown shown;
  for (const Results& results : measured) {
    for (const Row& point : sim.rows) {
      const std::vector<const Row*> rows = measured_of(results, point);
      const auto baseline = std::ranges::find_if(
          rows, [](const Row* row) { return row->point.at("implementation") == kBaseline && row->status == "ok"; });
      const Row* fastest = nullptr;
      for (const Row* row : rows) {
        if (row->status != "ok") continue;
        if (fastest == nullptr || metric(row, kTime) < metric(fastest, kTime)) fastest = row;
      }
      for (const Row* row : rows) {
        const std::string series = device_of(results) + ": " + row->point.at("implementation").get<std::string>();
        add_series(shown, series);
        Json record = record_of(*row, series);
        record["fraction"] = metric(row, kOperatorEfficiency);
        record["baseline_ns"] = baseline == rows.end() ? Json(nullptr) : metric(*baseline, kTime);
        record["fastest"] = row == fastest;
        shown.records.push_back(std::move(record));
        shown.measured.push_back(row);
      }
    }
  }
  return shown;
}

std::vector<std::string> notes_of(std::vector<std::string> notes, const std::vector<Results>& measured,
                                  const Shown& shown) {
  for (const auto* rows : {&shown.simulated, &shown.measured}) {
    for (std::string& note : failed_note(*rows)) notes.push_back(std::move(note));
  }
  for (std::string& note : measured_notes(measured, shown.measured)) notes.push_back(std::move(note));
  return notes;
}

/// Bars of a field, operators side by side; what has no number says its status.
Json bars(const char* field, const char* printed, const char* title, const Shown& shown, const Json& operations) {
  Json spec = Json::parse(R"json({
    "facet": {"column": {"field": "operation", "type": "nominal", "title": null}},
    "spacing": 14,
    "spec": {
      "width": 98,
      "encoding": {
        "y": {"field": "shape", "type": "nominal", "scale": {"paddingInner": 0.18},
              "title": "batch × sequence × dimension", "axis": {"grid": false, "ticks": false, "domain": false}},
        "yOffset": {"field": "series"},
        "tooltip": [
          {"field": "operation"}, {"field": "shape"}, {"field": "series"}, {"field": "status"},
          {"field": "fraction", "title": "of own peak bandwidth", "format": ".1%"},
          {"field": "throughput_gbps", "title": "GB/s", "format": ",.4~r"},
          {"field": "time_ns", "title": "time (ns)", "format": ",.5~r"}]
      },
      "layer": [
        {"mark": {"type": "bar"}, "encoding": {
          "x": {"type": "quantitative", "axis": {"grid": true, "tickCount": 3}},
          "color": {"field": "series", "type": "nominal", "title": null, "legend": {"columns": 4}}}},
        {"mark": {"type": "text", "align": "left", "dx": 3},
         "encoding": {"x": {"type": "quantitative"}, "text": {"field": "printed"}}}
      ]
    }
  })json");
  constexpr int kLine = 15;  // pixels a series
  Json& inner = spec["spec"];
  inner["height"] = {{"step", kLine * static_cast<int>(shown.series.size()) + 8}, {"for", "position"}};
  inner["transform"] = Json::array(
      {{{"calculate", printed}, {"as", "printed"}},
       {{"calculate", std::string("isValid(datum.") + field + ") ? datum." + field + " : 0"}, {"as", "end_of_bar"}}});
  Json& x = inner["layer"][0]["encoding"]["x"];
  x["field"] = field;
  x["title"] = title;
  inner["layer"][1]["encoding"]["x"]["field"] = "end_of_bar";
  std::vector<const Row*> rows = shown.simulated;
  rows.insert(rows.end(), shown.measured.begin(), shown.measured.end());
  inner["encoding"]["y"]["sort"] = operator_shapes(rows);
  inner["encoding"]["yOffset"]["sort"] = shown.series;
  spec["facet"]["column"]["sort"] = operations;
  Json colours = Json::array();
  const std::size_t simulated = shown.simulated.empty() ? 0 : 1;
  for (std::size_t i = 0; i < shown.series.size(); ++i) {
    colours.push_back(i < simulated ? palette::kBlue : measured_colour(i - simulated));
  }
  inner["layer"][0]["encoding"]["color"]["scale"] = {{"domain", shown.series}, {"range", colours}};
  return spec;
}

Figure complete(const char* name, const std::string& title, const std::string& source, Json spec,
                const std::vector<std::string>& notes, Shown shown) {
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json";
  spec["title"] = figure_title(title, source, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(shown.records)}};
  return {name, title, std::move(spec)};
}

}  // namespace

Figure operators_beside_gpus(const Results& sim, const std::vector<Results>& measured) {
  Shown beside = measured_rows(sim, measured);
  Shown shown;
  const std::string plan = sim.source.machine + ", simulated: plan";
  shown.series.push_back(plan);
  for (const Row& row : sim.rows) {
    const bool has_one =
        std::ranges::any_of(measured, [&row](const Results& results) { return !measured_of(results, row).empty(); });
    if (!has_one) continue;
    Json record = record_of(row, plan);
    record["fraction"] = metric(&row, kBandwidthShare);
    shown.records.push_back(std::move(record));
    shown.simulated.push_back(&row);
  }
  for (Json& record : beside.records) shown.records.push_back(std::move(record));
  shown.series.insert(shown.series.end(), beside.series.begin(), beside.series.end());
  shown.measured = std::move(beside.measured);
  const std::string title = "Operators: share of its own peak bandwidth, simulated and on a GPU";
  const std::vector<std::string> notes = notes_of(
      {"Not machines of one size, and not one ratio of arithmetic to bandwidth: compare shares, never times.",
       "Bytes that must be read and written ÷ time ÷ peak of the memory. GPU: L2 flushed; its bytes are its roofline."},
      measured, shown);
  Json spec = bars("fraction", "isValid(datum.fraction) ? format(datum.fraction, '.0%') : datum.status", "of peak",
                   shown, axis_values(sim, "operation"));
  Json& x = spec["spec"]["layer"][0]["encoding"]["x"];
  x["axis"]["format"] = "~%";
  x["scale"] = {{"domain", {0, 1.15}}};
  x["axis"]["values"] = {0, 0.5, 1};
  return complete("operators_beside_gpus", title, caption(sim), std::move(spec), notes, std::move(shown));
}

Figure operator_speed_up(const Results& sim, const std::vector<Results>& measured) {
  Shown shown = measured_rows(sim, measured);
  const std::string title = "Operators on a GPU: speed-up over PyTorch";
  const std::vector<std::string> notes = notes_of(
      {"Measured: time of PyTorch ÷ time, the same operator, shape and dtype, L2 flushed. ★: the fastest. What "
       "is wrong has no bar."},
      measured, shown);
  Json spec =
      bars("speed_up",
           "(isValid(datum.speed_up) ? format(datum.speed_up, '.2f') : datum.status) + (datum.fastest ? ' ★' : '')",
           "× PyTorch", shown, axis_values(sim, "operation"));
  spec["transform"] = Json::parse(R"json([
    {"calculate": "isValid(datum.baseline_ns) && isValid(datum.time_ns) ? datum.baseline_ns / datum.time_ns : null",
     "as": "speed_up"}
  ])json");
  const std::string source = "operators, shapes and dtypes of bench " + sim.bench + "; nothing here is simulated";
  return complete("operator_speed_up", title, source, std::move(spec), notes, std::move(shown));
}

std::vector<Figure> operator_figures_beside(const Results& sim, const std::vector<Results>& measured) {
  if (operator_figures(sim, {}).empty() || measured_rows(sim, measured).records.empty()) return {};
  return {operators_beside_gpus(sim, measured), operator_speed_up(sim, measured)};
}

}  // namespace kernbench
