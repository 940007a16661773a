// The milestone's GEMMs beside real GPUs: each machine's share of its own peak, and what it delivers (ADR-0025).
#include <algorithm>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/milestone_1h_gemm/figures/points.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/measured.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

struct Series {
  std::string name;
  const char* colour;
};

struct Shown {
  Json records = Json::array();
  std::vector<Series> series;
  std::vector<const Row*> measured;  ///< the rows behind the records
};

constexpr const char* kSimulated = "one PE, simulated: ";

void add_simulated(Shown& shown, const Results& sim) {
  const std::vector<const char*> colours{palette::kSkyBlue, palette::kBlue, palette::kGreen, palette::kOrange};
  const std::vector<std::string> variants = axis_values(sim, "variant");
  for (std::size_t i = 0; i < variants.size(); ++i) {
    shown.series.push_back({kSimulated + variants[i], colours.at(i % colours.size())});
  }
  for (const Row& row : sim.rows) {
    Json record = point_record(row);
    record["series"] = kSimulated + row.point.at("variant").get<std::string>();
    record["machine"] = "one PE of " + sim.source.machine;
    record["fraction"] = metric(&row, kUsefulEfficiency);
    record["tflops"] = metric(&row, kTflops);
    record["time_ns"] = metric(&row, kTime);
    shown.records.push_back(std::move(record));
  }
}

/// One series: the measured row of every shape, or that there is none.
void add_measured(Shown& shown, const Results& sim, const Results& measured, const std::string& l2) {
  const std::string name = device_of(measured) + ": L2 " + l2;
  shown.series.push_back({name, measured_colour(shown.series.size() - axis_values(sim, "variant").size())});
  std::vector<std::string> done;
  for (const Row& point : sim.rows) {
    const std::string shape = shape_label(point);
    if (std::find(done.begin(), done.end(), shape) != done.end()) continue;
    done.push_back(shape);
    const auto rows = rows_where(measured, {{"m", point.point.at("m")},
                                            {"k", point.point.at("k")},
                                            {"n", point.point.at("n")},
                                            {"dtype", "bf16"},
                                            {"backend", "cublaslt"},
                                            {"l2", l2}});
    const Row* row = rows.empty() ? nullptr : rows.front();
    if (row != nullptr) shown.measured.push_back(row);
    Json record = row == nullptr ? point.point : row->point;
    record["shape"] = shape;
    record["status"] = row == nullptr ? "not measured" : row->status;
    record["series"] = name;
    record["machine"] = device_of(measured);
    record["fraction"] = metric(row, kPeakFraction);
    record["tflops"] = metric(row, kTflops);
    record["time_ns"] = metric(row, kTime);
    shown.records.push_back(std::move(record));
  }
}

/// The largest share of its peak that the device reaches in these data, with its shape: the milestone's shapes are
/// small.
std::vector<std::string> best_note(const Results& measured) {
  const Row* best = nullptr;
  for (const Row* row : rows_where(measured, {{"dtype", "bf16"}, {"backend", "cublaslt"}})) {
    if (!metric(row, kPeakFraction).is_number()) continue;
    if (best == nullptr || metric(row, kPeakFraction) > metric(best, kPeakFraction)) best = row;
  }
  if (best == nullptr) return {};
  return {"These shapes are small for a GPU: " + device_of(measured) + " reaches up to " +
          percent(metric(best, kPeakFraction)) + ", at " + shape_label(*best) + (is_noisy(*best) ? " (noisy)." : ".")};
}

/// A dot a series and shape on a logarithmic axis, its number in a column beside it.
/// `labels`: the axis's, a Vega expression.
Json panel(const std::string& field, const std::string& title, const std::string& labels, int width) {
  Json spec = Json::parse(R"json({
    "encoding": {
      "y": {"field": "shape", "type": "nominal", "scale": {"paddingInner": 0.12},
            "axis": {"grid": false, "ticks": false, "domain": false}},
      "yOffset": {"field": "series"},
      "color": {"field": "series", "type": "nominal", "title": null, "legend": {"columns": 3, "labelLimit": 0, "symbolType": "circle"}},
      "tooltip": [
        {"field": "shape", "title": "M×K×N"}, {"field": "series"}, {"field": "machine"}, {"field": "status"},
        {"field": "fraction", "title": "share of own peak", "format": ".3%"},
        {"field": "tflops", "title": "TFLOPS", "format": ".4~g"},
        {"field": "time_ns", "title": "time (ns)", "format": ",.5~g"}]
    },
    "layer": [
      {"mark": {"type": "point", "filled": true, "size": 70},
       "encoding": {"x": {"type": "quantitative", "scale": {"type": "log", "nice": false, "padding": 10}}}},
      {"mark": {"type": "text", "align": "left"}, "encoding": {}}
    ]
  })json");
  spec["width"] = width;
  Json& x = spec["layer"][0]["encoding"]["x"];
  x["field"] = field;
  x["title"] = title;
  x["axis"] = {{"labelExpr", labels}, {"values", {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000}}};
  spec["layer"][1]["encoding"] = {
      {"x", {{"value", width + 8}}}, {"text", {{"field", field + "_text"}}}, {"color", {{"value", palette::kInk}}}};
  return spec;
}

}  // namespace

Figure gemm_beside_gpus(const Results& sim, const std::vector<Results>& measured) {
  Shown shown;
  add_simulated(shown, sim);
  for (const Results& results : measured) {
    for (const char* l2 : {"flushed", "warm"}) add_measured(shown, sim, results, l2);
  }
  Json names = Json::array();
  Json colours = Json::array();
  for (const Series& series : shown.series) {
    names.push_back(series.name);
    colours.push_back(series.colour);
  }
  const std::string title = "GEMM: one simulated PE, and a whole GPU";
  std::vector<std::string> notes = with_under_tile_note(
      sim,
      "Not machines of one size: left, the share of its own dense bf16 peak that each uses; right, what it delivers.");
  notes.emplace_back(
      "GPU: cuBLASLt, bf16, back to back in a CUDA graph; with L2 flushed every operation reads its operands from HBM, "
      "as the PE does.");
  for (const Results& results : measured) {
    for (std::string& note : best_note(results)) notes.push_back(std::move(note));
  }
  for (std::string& note : measured_notes(measured, shown.measured)) notes.push_back(std::move(note));
  Json spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"}, {"spacing", 24}};
  spec["title"] = figure_title(title, sim, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(shown.records)}};
  spec["transform"] = Json::parse(R"json([
    {"calculate": "isValid(datum.fraction) ? format(datum.fraction, datum.fraction < 0.01 ? '.2p' : '.1%') : datum.status", "as": "fraction_text"},
    {"calculate": "isValid(datum.tflops) ? format(datum.tflops, '.3~r') : ''", "as": "tflops_text"}
  ])json");
  Json left = panel("fraction", "share of own peak (log scale)", "format(datum.value, '~%')", 260);
  Json right = panel("tflops", "TFLOPS (log scale)", "format(datum.value, '~r')", 220);
  left["encoding"]["y"]["title"] = "shape M×K×N";
  right["encoding"]["y"]["title"] = nullptr;
  right["encoding"]["y"]["axis"]["labels"] = false;
  constexpr int kLine = 17;  // pixels a series
  for (Json* one : {&left, &right}) {
    (*one)["height"] = {{"step", kLine * static_cast<int>(names.size()) + 8}, {"for", "position"}};
    Json& encoding = (*one)["encoding"];
    encoding["y"]["sort"] = shape_labels(sim);
    encoding["yOffset"]["sort"] = names;
    encoding["color"]["scale"] = {{"domain", names}, {"range", colours}};
    encoding["opacity"] = if_selected();
  }
  left["layer"][0]["params"] = Json::array({legend_selection("series")});
  spec["hconcat"] = Json::array(
      {with_column_heading(std::move(left), "of peak", 268), with_column_heading(std::move(right), "TFLOPS", 228)});
  return {"gemm_beside_gpus", title, std::move(spec)};
}

}  // namespace kernbench
