#include "benches/gemm_blocks/figures.hpp"

#include <algorithm>

#include "benches/gemm_blocks/knee.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr const char* kSquare = "square block";
constexpr const char* kOther = "other block";
constexpr const char* kChosen = "chosen (auto)";

const Row* knee_row(const Results& sim) {
  const std::vector<const Row*> rows = rows_where(sim, {{"derived", "knee"}});
  return rows.empty() || rows.front()->status != "ok" ? nullptr : rows.front();
}

/// "256³" or "256×1024×64"
std::string block_text(const std::string& block) {
  const std::vector<std::string> sides = split(block, "x");
  return is_square(block) ? sides.front() + "³" : joined(sides, "×");
}

/// "block=96x1024x64" of a mapping's text
std::string block_of(const std::string& mapping) {
  for (const std::string& part : split(mapping, " ")) {
    if (part.starts_with("block=")) return part.substr(std::string("block=").size());
  }
  return mapping;
}

Json block_records(const Results& sim, const Results& theory) {
  Json records = Json::array();
  for (const Row& row : sim.rows) {
    if (row.point.contains("derived")) continue;
    const std::string block = row.point.at("block");
    const bool chosen = block == kAuto;
    Json record{{"kind", chosen ? kChosen : is_square(block) ? kSquare : kOther}, {"status", row.status}};
    record["block"] =
        chosen && row.status == "ok" ? block_text(block_of(row.metrics.at(kMappingText))) : block_text(block);
    for (const char* name : {"mapping", "time_ns", "estimate_ns", "tcm_bytes", "hbm_read_bytes", "hbm_written_bytes",
                             "least_traffic_bytes"}) {
      record[name] = metric(&row, name);
    }
    record["bound_ns"] = metric(find_row(theory, row.point), kTime);
    records.push_back(std::move(record));
  }
  return records;
}

/// Points and their names; those of other blocks are right of them, of the chosen one left, or the reverse.
Json points_layers(const char* field, const char* title, bool others_right) {
  const Json kinds = {kSquare, kOther, kChosen};
  Json layers = Json::parse(R"json([
    {"mark": {"type": "line", "strokeWidth": 1.5}, "transform": [{"filter": "datum.kind == 'square block'"}]},
    {"mark": {"type": "point", "filled": true, "opacity": 1, "size": 90},
     "encoding": {
       "shape": {"field": "kind", "type": "nominal", "title": null, "scale": {"range": ["circle", "diamond", "square"]}},
       "tooltip": [
         {"field": "mapping"},
         {"field": "time_ns", "title": "PE window (ns)", "format": ","},
         {"field": "bound_ns", "title": "bound (ns)", "format": ","},
         {"field": "estimate_ns", "title": "estimate (ns)", "format": ","},
         {"field": "tcm_bytes", "title": "TCM (B)", "format": ","},
         {"field": "traffic_mib", "title": "HBM (MiB)", "format": ".4~g"},
         {"field": "least_mib", "title": "at least (MiB)", "format": ".4~g"}]}},
    {"mark": {"type": "text", "dx": 8, "dy": -11}, "transform": [{"filter": "datum.kind == 'square block'"}]},
    {"mark": {"type": "text", "align": "left", "dx": 9}, "transform": [{"filter": "datum.kind == 'other block'"}]},
    {"mark": {"type": "text", "align": "right", "dx": -9}, "transform": [{"filter": "datum.kind == 'chosen (auto)'"}]}
  ])json");
  if (!others_right) std::swap(layers[3]["transform"], layers[4]["transform"]);
  layers[1]["encoding"]["shape"]["scale"]["domain"] = kinds;
  for (Json& layer : layers) {
    Json& encoding = layer["encoding"];
    encoding["y"] = {{"field", field}, {"type", "quantitative"}};
    if (layer["mark"]["type"] == "text") {
      encoding["text"] = {{"field", "block"}, {"type", "nominal"}};
      continue;
    }
    encoding["color"] = {
        {"field", "kind"},
        {"type", "nominal"},
        {"title", nullptr},
        {"scale", {{"domain", kinds}, {"range", {palette::kBlue, palette::kOrange, palette::kVermillion}}}}};
  }
  layers[1]["encoding"]["y"]["title"] = title;
  layers[1]["encoding"]["y"]["scale"] = {{"type", "log"}, {"nice", false}, {"padding", 24}};
  return layers;
}

/// A line at the knee, and what it is.
Json knee_layers(const Row& knee) {
  Json layers = Json::array();
  const std::vector<std::string> lines{"knee: " + block_text(knee.metrics.at(kBlockText)) + " is the",
                                       "smallest square within", percent(kKneeWithin) + " of the fastest one"};
  Json layer = Json::parse(R"json({"encoding": {"x": {"field": "tcm_bytes", "type": "quantitative"}}})json");
  layer["data"] = {{"values", Json::array({{{"tcm_bytes", knee.metrics.at(kTcmBytes)}}})}};
  layer["mark"] = {{"type", "rule"}, {"strokeDash", {3, 4}}};
  layers.push_back(layer);
  layer["mark"] = {{"type", "text"}, {"align", "left"}, {"baseline", "top"}, {"dx", 6}, {"text", lines}};
  layer["encoding"]["y"] = {{"value", 2}};
  layers.push_back(layer);
  return layers;
}

std::vector<std::string> notes_of(const Results& sim) {
  std::vector<const Row*> rows;
  for (const Row& row : sim.rows) rows.push_back(&row);
  std::vector<std::string> notes{
      "M×K×N " + joined(axis_values(sim, "m")) + "×" + joined(axis_values(sim, "k")) + "×" +
          joined(axis_values(sim, "n")) +
          ". Blocks have the machine's tile, order mnk and two buffers; chosen is the fastest of all mappings.",
      "Ticks: the bound. Dashed: the least that any order of the multiplications moves, 2MNK ÷ √S − 2S elements,",
      "or each matrix once, S being the elements of the TCM that is taken."};
  for (std::string& note : failed_note(rows)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace

Figure time_and_traffic_over_blocks(const Results& sim, const Results& theory) {
  const std::string title = "Blocks in TCM: time and HBM traffic";
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "spacing": 24,
    "transform": [
      {"filter": "isValid(datum.time_ns)"},
      {"calculate": "datum.time_ns / 1000", "as": "time_us"},
      {"calculate": "datum.bound_ns / 1000", "as": "bound_us"},
      {"calculate": "(datum.hbm_read_bytes + datum.hbm_written_bytes) / 1048576", "as": "traffic_mib"},
      {"calculate": "datum.least_traffic_bytes / 1048576", "as": "least_mib"}
    ],
    "hconcat": [
      {
        "width": 350, "height": 330,
        "layer": [{
          "mark": {"type": "tick", "orient": "horizontal", "width": 16, "thickness": 2},
          "encoding": {"y": {"field": "bound_us", "type": "quantitative"}}}]
      },
      {
        "width": 350, "height": 330,
        "layer": [{
          "mark": {"type": "line", "strokeDash": [5, 4], "strokeWidth": 2},
          "encoding": {"y": {"field": "least_mib", "type": "quantitative"}}}]
      }
    ]
  })json");
  spec["title"] = figure_title(title, sim, notes_of(sim));
  spec["config"] = figure_config();
  spec["data"] = {{"values", block_records(sim, theory)}};
  Json& time = spec["hconcat"][0]["layer"];
  Json& traffic = spec["hconcat"][1]["layer"];
  traffic[0]["mark"]["color"] = palette::kInk;
  for (const Json& layer : points_layers("time_us", "time of the PE window (µs, log scale)", true)) {
    time.push_back(layer);
  }
  for (const Json& layer : points_layers("traffic_mib", "read from and written to HBM (MiB, log scale)", false)) {
    traffic.push_back(layer);
  }
  const Json x = Json::parse(R"json({
    "field": "tcm_bytes", "type": "quantitative", "title": "TCM that the mapping takes (log scale)",
    "scale": {"type": "log", "base": 2, "nice": false, "padding": 24},
    "axis": {"values": [65536, 262144, 1048576, 4194304, 16777216],
             "labelExpr": "datum.value < 1048576 ? datum.value / 1024 + ' KiB' : datum.value / 1048576 + ' MiB'"}
  })json");
  for (Json* panel : {&time, &traffic}) {
    for (Json& layer : *panel) layer["encoding"]["x"] = x;
  }
  if (const Row* knee = knee_row(sim); knee != nullptr) {
    for (const Json& layer : knee_layers(*knee)) time.push_back(layer);
  }
  return {"blocks", title, std::move(spec)};
}

std::vector<Figure> gemm_blocks_figures(const Results& sim, const Results& theory) {
  const auto is_other = [](const Row& row) {
    return row.point.contains("block") && row.point.at("block") != kAuto && !is_square(row.point.at("block"));
  };
  // It compares squares, others and the chosen one: a part of the bench has no figure.
  if (rows_where(sim, {{"derived", "knee"}}).empty() || rows_where(sim, {{"block", kAuto}}).empty() ||
      std::ranges::none_of(sim.rows, is_other)) {
    return {};
  }
  return {time_and_traffic_over_blocks(sim, theory)};
}

std::string gemm_blocks_headline(const Results& sim, const Results& /*theory*/) {
  const Row* knee = knee_row(sim);
  if (knee == nullptr) return "";
  const auto micro = [](const Row& row) { return formatted("%.4g µs", row.metrics.at(kTime) / 1000); };
  std::string text = "A block of " + block_text(knee->metrics.at(kBlockText)) +
                     " is the smallest square one within 5 % of the fastest square: " + micro(*knee);
  const std::vector<const Row*> chosen = rows_where(sim, {{"block", kAuto}});
  if (chosen.empty() || chosen.front()->status != "ok") return text + ".";
  return text + "; chosen is " + block_text(block_of(chosen.front()->metrics.at(kMappingText))) + ", which takes " +
         micro(*chosen.front()) + ".";
}

}  // namespace kernbench
