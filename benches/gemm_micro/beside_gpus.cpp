// Simulated GEMMs beside measured ones: shares of each machine's own peak, and the order of shapes.
#include <algorithm>
#include <cmath>

#include "benches/gemm_micro/figures.hpp"
#include "benches/gemm_micro/shapes.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/measured.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/results/statistics/rank_correlation.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

/// The same shape and dtype, by the vendor's library.
const Row* measured_row(const Results& measured, const Row& row, const char* l2) {
  Json fields{{"backend", "cublaslt"}, {"l2", l2}};
  for (const char* name : {"m", "k", "n", "dtype"}) fields[name] = row.point.at(name);
  const std::vector<const Row*> rows = rows_where(measured, fields);
  return rows.empty() ? nullptr : rows.front();
}

/// Of all simulated points that were measured.
std::vector<const Row*> measured_rows(const Results& sim, const Results& measured, const char* l2) {
  std::vector<const Row*> rows;
  for (const Row& row : sim.rows) {
    if (const Row* beside = measured_row(measured, row, l2); beside != nullptr) rows.push_back(beside);
  }
  return rows;
}

/// "shares_beside_nvidia_h200"
std::string name_of_figure(const std::string& what, const Results& measured) {
  std::string name = what + measured.source.machine;
  std::ranges::replace(name, '-', '_');
  return name;
}

ShownRows shown_of(const Results& measured, const std::vector<const Row*>& rows, const std::string& state) {
  return {rows, device_of(measured) + ", measured",
          "bench " + measured.bench + ", backend cublaslt, L2 " + state + "; nothing here is simulated",
          measured_notes({measured}, rows)};
}

/// A panel a dtype: shares of peak, measured over simulated, with the correlation of their ranks.
Figure ranking(const Results& sim, const Results& measured) {
  const std::string title = "GEMMs beside " + device_of(measured) + ": shares of each machine's own peak";
  Json records = Json::array();
  std::vector<const Row*> shown;
  std::vector<const Row*> simulated;
  for (const Row& row : sim.rows) {
    const Row* beside = measured_row(measured, row, "flushed");
    if (!metric(&row, kPeakFraction).is_number() || !metric(beside, kPeakFraction).is_number()) continue;
    simulated.push_back(&row);
    shown.push_back(beside);
  }
  Json order = Json::array();
  for (const std::string& dtype : dtypes_of(simulated)) {
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<Json> of_dtype;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (simulated[i]->point.at("dtype") != dtype) continue;
      ours.push_back(simulated[i]->metrics.at(kPeakFraction));
      theirs.push_back(shown[i]->metrics.at(kPeakFraction));
      Json record = micro_record(*simulated[i]);
      record["measured"] = theirs.back();
      record["few_rows"] =
          record.at("m") < record.at("k") && record.at("k") == kSkinnySide ? "few rows" : "other shapes";
      of_dtype.push_back(std::move(record));
    }
    const double agreement = rank_correlation(ours, theirs);
    const std::string panel = std::isfinite(agreement) ? dtype + ": ρ " + formatted("%.2f", agreement) : dtype;
    order.push_back(panel);
    for (Json& record : of_dtype) {
      record["panel"] = panel;
      records.push_back(std::move(record));
    }
  }
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "columns": 4, "spacing": 16,
    "facet": {"field": "panel", "type": "nominal", "title": null},
    "spec": {
      "width": 165, "height": 165,
      "layer": [
        {"data": {"values": [{"x": 0.0005, "y": 0.0005}, {"x": 1, "y": 1}]},
         "mark": {"type": "line", "strokeDash": [3, 4], "strokeWidth": 1},
         "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}}},
        {"mark": {"type": "point", "filled": true, "size": 34, "opacity": 0.75},
         "encoding": {
           "x": {"field": "measured", "type": "quantitative", "title": "measured (log scale)",
                 "scale": {"type": "log", "domain": [0.0005, 1], "nice": false},
                 "axis": {"format": "~%", "values": [0.001, 0.01, 0.1, 1]}},
           "y": {"field": "peak_fraction", "type": "quantitative", "title": "simulated (log scale)",
                 "scale": {"type": "log", "domain": [0.0005, 1], "nice": false},
                 "axis": {"format": "~%", "values": [0.001, 0.01, 0.1, 1]}},
           "color": {"field": "few_rows", "type": "nominal", "title": null}}}
      ]
    }
  })json");
  spec["facet"]["sort"] = std::move(order);
  Json& layers = spec["spec"]["layer"];
  layers[0]["mark"]["color"] = palette::kGrey;
  layers[1]["encoding"]["color"]["scale"] = {{"domain", {"few rows", "other shapes"}},
                                             {"range", {palette::kOrange, palette::kBlue}}};
  layers[1]["encoding"]["tooltip"] = micro_tooltip();
  layers[1]["encoding"]["tooltip"].push_back(
      {{"field", "measured"}, {"title", "of peak, measured"}, {"format", ".1%"}});
  std::vector<std::string> notes{
      "Not the same machine: what can agree is the order. ρ: Spearman's rank correlation over the shapes of a dtype.",
      "A point is a shape; few rows: M up to 256 with K = N = " + std::to_string(kSkinnySide) +
          ". Measured by cublaslt with a flushed L2."};
  for (std::string& note : measured_notes({measured}, shown)) notes.push_back(std::move(note));
  spec["title"] = figure_title(title, sim, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  return {name_of_figure("shares_beside_", measured), title, std::move(spec)};
}

}  // namespace

std::vector<Figure> gemm_micro_beside(const Results& sim, const std::vector<Results>& measured) {
  if (gemm_micro_figures(sim, {}).empty()) return {};
  std::vector<Figure> figures;
  std::vector<const Row*> ours;
  for (const Row& row : sim.rows) ours.push_back(&row);
  std::vector<ShownRows> efficient{{most_efficient(ours), sim.source.machine + ", simulated", caption(sim), {}}};
  efficient.front().notes.emplace_back(
      "Simulated: energies of circuits alone, all PEs. Measured: power of the board, with a warm L2.");
  for (const Results& of : measured) {
    Figure shares = ranking(sim, of);
    if (shares.spec.at("data").at("values").empty()) continue;
    figures.push_back(std::move(shares));
    const std::vector<const Row*> grid = rows_in_grid(measured_rows(sim, of, "flushed"), kSidesOf64);
    if (!grid.empty()) {
      figures.push_back(
          throughput_grid(name_of_figure("throughput_64_", of), shown_of(of, grid, "flushed"), kSidesOf64));
    }
    const std::vector<const Row*> frugal = most_efficient(measured_rows(sim, of, "warm"));
    if (!frugal.empty()) efficient.push_back(shown_of(of, frugal, "warm"));
  }
  if (efficient.size() > 1 && !efficient.front().rows.empty()) {
    figures.push_back(efficiency_bars("efficiency_beside_gpus", efficient));
  }
  return figures;
}

}  // namespace kernbench
