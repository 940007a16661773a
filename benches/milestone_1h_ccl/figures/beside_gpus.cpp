// Simulated collectives beside NCCL on real GPUs: time over size, and the share of the bound (ADR-0025).
#include <utility>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_ccl/figures/lines.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/measured.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

/// A simulated scale as a series.
struct Scale {
  std::string name;  ///< before the number of ranks
  const char* colour;
  Json fields;
};

const std::vector<Scale>& shown_scales() {
  static const std::vector<Scale> kScales = {
      {"die", palette::kSkyBlue, {{"scale", "die"}, {"pes", nullptr}}},
      {"package", palette::kBlue, {{"scale", "package"}, {"pes", nullptr}}},
      {"six packages",
       palette::kGreen,
       {{"scale", "system"}, {"arrangement", "torus"}, {"packages", "2x3"}, {"tier", "tcm"}}}};
  return kScales;
}

struct ShownRows {
  Json records = Json::array();
  Json names = Json::array();
  Json colours = Json::array();
  std::vector<const Row*> simulated;
  std::vector<const Row*> measured;

  void add_series(const std::string& name, const char* colour) {
    for (const Json& known : names) {
      if (known == name) return;
    }
    names.push_back(name);
    colours.push_back(colour);
  }

  void add(const Row& row, const std::string& series, const char* source, const Json& algorithm) {
    Json record{{"collective", row.point.at("collective")},
                {"source", source},
                {"series", series},
                {"bytes", row.point.at("bytes")}};
    record["size"] = format_quantity(record.at("bytes").get<std::int64_t>(), Dimension::kBytes);
    record["algorithm"] = algorithm;
    record["status"] = row.status;
    for (const char* name : {"time_ns", "busbw_gbs", "bound_fraction"}) record[name] = metric(&row, name);
    records.push_back(std::move(record));
  }
};

/// Whether `row` is the one to show of its size: that of the algorithm which the derived row names.
bool fastest(const Results& sim, Json fields, const Row& row) {
  if (row.point.contains("derived") || row.point.value("root_die", "") == "corner") return false;
  fields["derived"] = "best";
  fields["bytes"] = row.point.at("bytes");
  const auto best = rows_where(sim, fields);
  return best.empty() || metric(best.front(), kFastestAlgorithm) == row.point.at("algorithm");
}

void add_simulated(ShownRows& shown, const Results& sim, const std::string& collective, const Scale& scale) {
  Json fields = scale.fields;
  fields["collective"] = collective;
  for (const Row* row : rows_where(sim, fields)) {
    if (!fastest(sim, fields, *row)) continue;
    const std::string ranks =
        row->metrics.has(kRankCount) ? ": " + std::to_string(row->metrics.at(kRankCount)) + " PEs" : "";
    shown.add_series(scale.name + ranks, scale.colour);
    shown.add(*row, scale.name + ranks, "sim", row->point.at("algorithm"));
    shown.simulated.push_back(row);
  }
}

void add_measured(ShownRows& shown, const std::vector<Results>& measured, const std::string& collective) {
  std::size_t colour = 0;
  for (const Results& results : measured) {
    for (const std::string& gpus : axis_values(results, "gpus")) {
      const Json count = Json::parse(gpus);
      const std::string name = gpus + " × " + device_of(results) + ", NCCL";
      const char* own = measured_colour(colour++);
      for (const Row* row :
           rows_where(results, {{"collective", collective}, {"gpus", count}, {"setting", "default"}})) {
        shown.add_series(name, own);
        shown.add(*row, name, "gpu", "NCCL's choice");
        shown.measured.push_back(row);
      }
    }
  }
}

Json lines(const Json& y, int width, int height) {
  Json unit = Json::parse(R"json({
    "layer": [
      {"mark": {"type": "line", "strokeWidth": 2}},
      {"mark": {"type": "point", "filled": true, "size": 36}}
    ],
    "encoding": {
      "tooltip": [
        {"field": "collective"}, {"field": "series"}, {"field": "algorithm"}, {"field": "size"},
        {"field": "time_ns", "title": "time (ns)", "format": ","},
        {"field": "busbw_gbs", "title": "busbw (GB/s)", "format": ".4~g"},
        {"field": "bound_fraction", "title": "of the bound", "format": ".1%"}]
    }
  })json");
  unit["width"] = width;
  unit["height"] = height;
  Json& encoding = unit["encoding"];
  encoding["x"] = size_channel("bytes", "size (log scale)");
  encoding["y"] = y;
  encoding["opacity"] = if_selected();
  return unit;
}

Json complete(Json spec, const std::string& title, std::vector<std::string> notes, const Results& sim,
              const std::vector<Results>& measured, ShownRows shown) {
  for (const auto* rows : {&shown.simulated, &shown.measured}) {
    for (std::string& note : failed_note(*rows)) notes.push_back(std::move(note));
  }
  for (std::string& note : measured_notes(measured, shown.measured)) notes.push_back(std::move(note));
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json";
  spec["title"] = figure_title(title, sim, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(shown.records)}};
  return spec;
}

Json series_colour(const ShownRows& shown) {
  return {{"field", "series"},
          {"type", "nominal"},
          {"title", nullptr},
          {"legend", {{"columns", 3}, {"symbolType", "circle"}}},
          {"scale", {{"domain", shown.names}, {"range", shown.colours}}}};
}

}  // namespace

Figure all_reduce_beside_gpus(const Results& sim, const std::vector<Results>& measured) {
  ShownRows shown;
  for (const Scale& scale : shown_scales()) add_simulated(shown, sim, "all_reduce", scale);
  add_measured(shown, measured, "all_reduce");
  Json times = lines(time_channel("time_ns", "time (log scale)"), 385, 330);
  Json shares = lines({{"field", "bound_fraction"},
                       {"type", "quantitative"},
                       {"title", "of the bound"},
                       {"axis", {{"format", ".0%"}}},
                       {"scale", {{"domain", {0, 1}}}}},
                      345, 330);
  for (Json* unit : {&times, &shares}) (*unit)["encoding"]["color"] = series_colour(shown);
  times["layer"][0]["params"] = Json::array({legend_selection("series")});
  const Json spec{{"spacing", 24}, {"hconcat", Json::array({std::move(times), std::move(shares)})}};
  const std::string title = "all_reduce: simulated PEs, and NCCL on GPUs";
  return {"all_reduce_beside_gpus", title,
          complete(spec, title,
                   {"Simulated: the fastest algorithm at each size. GPUs: back to back, default settings.",
                    "Right: bound ÷ time; for GPUs bus bandwidth ÷ one GPU's link bandwidth in one direction."},
                   sim, measured, std::move(shown))};
}

Figure collectives_beside_gpus(const Results& sim, const std::vector<Results>& measured) {
  ShownRows shown;
  const std::vector<std::string> collectives{"reduce_scatter", "all_gather", "broadcast", "all_to_all"};
  for (const std::string& collective : collectives) {
    add_simulated(shown, sim, collective, shown_scales().front());
    add_measured(shown, measured, collective);
  }
  Json unit = lines(time_channel("time_ns", "time (log scale)"), 370, 220);
  unit["encoding"]["color"] = series_colour(shown);
  unit["layer"][0]["params"] = Json::array({legend_selection("series")});
  const Json spec{{"columns", 2},
                  {"spacing", {{"row", 24}, {"column", 24}}},
                  {"facet",
                   {{"field", "collective"},
                    {"type", "nominal"},
                    {"sort", collectives},
                    {"header", {{"labelAnchor", "start"}, {"title", nullptr}}}}},
                  {"spec", std::move(unit)}};
  const std::string title = "The other collectives: simulated PEs of a die, and NCCL on GPUs";
  return {"collectives_beside_gpus", title,
          complete(spec, title,
                   {"Simulated: the fastest algorithm at each size. GPUs: back to back, default settings.",
                    "Size: the whole buffer of a rank; of an all_gather the one it fills, of a reduce_scatter the one "
                    "it reads."},
                   sim, measured, std::move(shown))};
}

}  // namespace kernbench
