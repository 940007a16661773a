#include "benches/gemm_micro/figures.hpp"

#include <algorithm>

#include "benches/gemm_micro/shapes.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLeastOfGrid = 4;  // rows that a map is worth drawing for

std::vector<const Row*> pointers_to(const Results& results) {
  std::vector<const Row*> rows;
  for (const Row& row : results.rows) rows.push_back(&row);
  return rows;
}

/// TFLOPS over M by dtype, with the peaks. fp16 is often as fast as bf16, which is drawn over it.
Json curves(const std::string& x_title, const Json& records, const std::vector<std::string>& dtypes) {
  Json panel = Json::parse(R"json({
    "width": 330, "height": 300,
    "transform": [{"filter": "isValid(datum.tflops)"}],
    "encoding": {
      "color": {"field": "dtype", "type": "nominal", "title": null},
      "y": {"type": "quantitative", "title": "TFLOPS (log scale)", "scale": {"type": "log", "nice": false, "padding": 10},
            "axis": {"values": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000],
                     "format": ",~r"}}
    },
    "layer": [
      {"mark": {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5},
       "encoding": {"y": {"field": "peak_tflops", "aggregate": "max"}}},
      {"mark": {"type": "line"},
       "encoding": {"y": {"field": "tflops"},
                    "strokeWidth": {"condition": {"test": "datum.dtype === 'fp16'", "value": 7}, "value": 2}}},
      {"mark": {"type": "point", "filled": true, "opacity": 1},
       "encoding": {"y": {"field": "tflops"},
                    "size": {"condition": {"test": "datum.dtype === 'fp16'", "value": 190}, "value": 45}}}
    ]
  })json");
  panel["data"] = {{"values", records}};
  panel["encoding"]["color"]["scale"] = dtype_colours(dtypes);
  for (Json& layer : panel["layer"]) {
    layer["encoding"]["y"].update(panel["encoding"]["y"]);
    if (layer.at("mark").at("type") == "rule") continue;
    layer["encoding"]["x"] = {{"field", "m"},
                              {"type", "quantitative"},
                              {"title", x_title},
                              {"scale", {{"type", "log"}, {"base", 2}, {"nice", false}, {"padding", 14}}}};
  }
  panel["layer"][2]["encoding"]["tooltip"] = micro_tooltip();
  panel["encoding"].erase("y");
  return panel;
}

bool is_square(const Row& row) {
  return row.point.at("m") == row.point.at("k") && row.point.at("k") == row.point.at("n");
}

bool is_skinny(const Row& row) { return row.point.at("k") == kSkinnySide && row.point.at("n") == kSkinnySide; }

bool is_of_one(const Results& sim, const char* axis) { return axis_values(sim, axis).size() < 2; }

std::vector<std::string> notes_of(const Results& sim) {
  const auto good = std::ranges::find(sim.rows, "ok", &Row::status);
  const std::string pes = good == sim.rows.end() ? "" : std::to_string(good->metrics.at(kPeCount)) + " PEs: ";
  std::vector<std::string> notes{pes + joined(axis_values(sim, "over")) +
                                 ". K is not cut, and each PE has the operands of its part of C in its own memory."};
  for (std::string& note : failed_note(pointers_to(sim))) notes.push_back(std::move(note));
  return notes;
}

/// The good row with the largest value; null where none has one.
const Row* best_of(const Results& sim, const char* name) {
  const Row* best = nullptr;
  for (const Row& row : sim.rows) {
    if (!metric(&row, name).is_number()) continue;
    if (best == nullptr || metric(&row, name).get<double>() > metric(best, name).get<double>()) best = &row;
  }
  return best;
}

}  // namespace

Figure throughput_curves(const Results& sim) {
  const std::string title = "GEMM throughput by dtype, and the peaks";
  Json squares = Json::array();
  Json skinny = Json::array();
  std::vector<const Row*> shown;
  for (const Row& row : sim.rows) {
    if (!is_square(row) && !is_skinny(row)) continue;
    shown.push_back(&row);
    if (is_square(row)) squares.push_back(micro_record(row));
    if (is_skinny(row)) skinny.push_back(micro_record(row));
  }
  const std::vector<std::string> dtypes = dtypes_of(shown);
  Json panels = Json::array();
  if (squares.size() > 1) panels.push_back(curves("M = K = N (log scale)", squares, dtypes));
  const std::string side = std::to_string(kSkinnySide);
  if (skinny.size() > 1) {
    panels.push_back(curves("M, with K = N = " + side + " (log scale)", skinny, dtypes));
  }
  Json spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"}, {"spacing", 30}};
  std::vector<std::string> notes = notes_of(sim);
  notes.emplace_back("Dashed: the peak of the dtype.");
  spec["title"] = figure_title(title, sim, notes);
  spec["config"] = figure_config();
  spec["hconcat"] = std::move(panels);
  spec["resolve"] = {{"scale", {{"y", "shared"}}}};
  return {"throughput_curves_simulated", title, std::move(spec)};
}

Figure efficiency_bars(const std::string& name, const std::vector<ShownRows>& shown) {
  const std::string title = "GEMMs with the most TFLOPS a watt";
  Json panels = Json::array();
  for (const ShownRows& source : shown) {
    Json panel = Json::parse(R"json({
      "width": 260, "height": {"step": 24},
      "encoding": {
        "y": {"field": "label", "type": "nominal", "title": null, "sort": null,
              "axis": {"grid": false, "ticks": false, "domain": false}}
      },
      "layer": [
        {"mark": {"type": "bar", "height": 17},
         "encoding": {"x": {"field": "tflops_per_watt", "type": "quantitative", "title": "TFLOPS a watt",
                            "axis": {"tickCount": 4}},
                      "color": {"field": "dtype", "type": "nominal", "title": null}}},
        {"mark": {"type": "text", "align": "left", "dx": 4},
         "encoding": {"x": {"field": "tflops_per_watt", "type": "quantitative"},
                      "text": {"field": "tflops_per_watt", "format": ".3~r"}}}
      ]
    })json");
    Json records = Json::array();
    for (const Row* row : source.rows) {
      Json record = micro_record(*row);
      record["label"] = row->point.at("dtype").get<std::string>() + " " + micro_shape(*row);
      records.push_back(std::move(record));
    }
    panel["data"] = {{"values", std::move(records)}};
    panel["title"] = {{"text", source.of}, {"anchor", "start"}, {"frame", "group"}, {"fontSize", 14}};
    panel["layer"][0]["encoding"]["tooltip"] = micro_tooltip();
    panels.push_back(std::move(panel));
  }
  std::vector<const Row*> all;
  for (const ShownRows& source : shown) all.insert(all.end(), source.rows.begin(), source.rows.end());
  std::vector<std::string> notes;
  for (const ShownRows& source : shown) notes.insert(notes.end(), source.notes.begin(), source.notes.end());
  for (Json& panel : panels) {
    panel["layer"][0]["encoding"]["color"]["scale"] = dtype_colours(dtypes_of(all));
  }
  Json spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"}, {"spacing", 40}};
  spec["title"] = figure_title(title, shown.front().source, notes);
  spec["config"] = figure_config();
  spec["hconcat"] = std::move(panels);
  return {name, title, std::move(spec)};
}

std::vector<Figure> gemm_micro_figures(const Results& sim, const Results& /*theory*/) {
  // A place in a figure is a shape and a dtype: of one variant, on one set of PEs.
  if (!is_of_one(sim, "variant") || !is_of_one(sim, "over")) return {};
  const std::vector<const Row*> all = pointers_to(sim);
  ShownRows shown{all, sim.source.machine + ", simulated", caption(sim), notes_of(sim)};
  std::vector<Figure> figures;
  const auto add_grid = [&](const char* name, std::span<const std::int64_t> sides) {
    if (rows_in_grid(all, sides).size() >= kLeastOfGrid) figures.push_back(throughput_grid(name, shown, sides));
  };
  add_grid("throughput_27_simulated", kSidesOf27);
  add_grid("throughput_64_simulated", kSidesOf64);
  if (Figure curves = throughput_curves(sim); !curves.spec.at("hconcat").empty()) figures.push_back(std::move(curves));
  shown.rows = most_efficient(all);
  if (!shown.rows.empty()) {
    shown.notes.emplace_back("Energies of circuits: a whole chip takes several times as much (docs/energy.md).");
    if (const std::string missing = missing_energy_text(sim.rows); !missing.empty()) {
      shown.notes.push_back("Of other dtypes " + missing + ".");
    }
    figures.push_back(efficiency_bars("efficiency_simulated", {shown}));
  }
  return figures;
}

std::string gemm_micro_headline(const Results& sim, const Results& /*theory*/) {
  const Row* fastest = best_of(sim, "peak_fraction");
  if (fastest == nullptr) return "";
  std::string text = "Nearest to its peak comes " + fastest->point.at("dtype").get<std::string>() + " of " +
                     micro_shape(*fastest) + " with " + percent(fastest->metrics.at(kPeakFraction)) + " (" +
                     short_number(fastest->metrics.at(kTflops)) + " TFLOPS)";
  const Row* frugal = best_of(sim, "tflops_per_watt");
  if (frugal == nullptr) return text + ".";
  return text + "; the most TFLOPS a watt has " + frugal->point.at("dtype").get<std::string>() + " of " +
         micro_shape(*frugal) + ": " + formatted("%.3g", frugal->metrics.at(kTflopsPerWatt)) + ".";
}

}  // namespace kernbench
