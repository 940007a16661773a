// What simulated operators reach: shares of the machine's peaks, and times beside their bounds.
#include "benches/operators/figures.hpp"

#include <algorithm>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/operator_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::int64_t elements_of(const Json& point) {
  const auto size = [&point](const char* name) { return point.at(name).get<std::int64_t>(); };
  return size("batch_size") * size("sequence_length") * size("tensor_dimension");
}

std::vector<const Row*> pointers_to(const Results& results) {
  std::vector<const Row*> rows;
  for (const Row& row : results.rows) rows.push_back(&row);
  return rows;
}

/// Dtype and PEs, where all rows have the same.
std::string alike_of(const Results& sim) {
  std::string text;
  for (const char* axis : {"dtype", "over"}) {
    const std::vector<std::string> values = axis_values(sim, axis);
    if (values.size() != 1) continue;
    text += (text.empty() ? "" : ", ") + (std::string(axis) == "over" ? "PEs: " + values[0] : values[0]);
  }
  return text;
}

std::vector<std::string> with_failed(std::vector<std::string> notes, const Results& sim) {
  for (std::string& note : failed_note(pointers_to(sim))) notes.push_back(std::move(note));
  return notes;
}

Json records_of(const Results& sim, const Results* theory) {
  Json records = Json::array();
  for (std::size_t i = 0; i < sim.rows.size(); ++i) {
    const Row& row = sim.rows[i];
    Json record = row.point;
    record["row"] = i;
    record["shape"] = operator_shape(row.point);
    record["elements"] = elements_of(row.point);
    record["status"] = row.status;
    for (const char* name : {"time_ns", "efficiency", "bandwidth_share", "throughput_gbps", "limited_by"}) {
      record[name] = metric(&row, name);
    }
    if (theory != nullptr) record["bound_ns"] = metric(find_row(*theory, row.point), kTime);
    records.push_back(std::move(record));
  }
  return records;
}

/// A cell an operator and shape; what is no number says its status.
Json heat_map(const char* field, const char* title, const Results& sim, bool labels) {
  Json spec = Json::parse(R"json({
    "width": {"step": 46}, "height": {"step": 30},
    "encoding": {
      "x": {"field": "operation", "type": "nominal", "title": null,
            "axis": {"orient": "top", "labelAngle": -40, "ticks": false, "domain": false}},
      "y": {"field": "shape", "type": "nominal", "axis": {"ticks": false, "domain": false, "grid": false}},
      "tooltip": [
        {"field": "operation"}, {"field": "shape", "title": "batch×sequence×dimension"}, {"field": "status"},
        {"field": "efficiency", "title": "of the roofline", "format": ".1%"},
        {"field": "bandwidth_share", "title": "of the peak bandwidth", "format": ".1%"},
        {"field": "time_ns", "title": "time (ns)", "format": ",.5~r"},
        {"field": "limited_by", "title": "limited by"}]
    },
    "layer": [
      {"mark": {"type": "rect", "stroke": "#ffffff", "strokeWidth": 2},
       "encoding": {"color": {"type": "quantitative", "scale": {"domain": [0, 1], "range": ["#eef4f9", "#0072B2"]},
                    "legend": null}}},
      {"mark": {"type": "text"}, "encoding": {"color": {"value": "#1b1f24"}}}
    ]
  })json");
  const std::string value = std::string("datum.") + field;
  spec["title"] = {{"text", title}, {"anchor", "start"}, {"frame", "group"}, {"fontSize", 14}};
  spec["transform"] = Json::array(
      {{{"calculate", "isValid(" + value + ") ? format(" + value + ", '.0%') : datum.status"}, {"as", "printed"}}});
  Json& color = spec["layer"][0]["encoding"]["color"];
  color["field"] = field;
  Json& text = spec["layer"][1]["encoding"];
  text["text"] = {{"field", "printed"}};
  text["color"]["condition"] = {{"test", "isValid(" + value + ") && " + value + " > 0.6"}, {"value", "#ffffff"}};
  Json& encoding = spec["encoding"];
  encoding["x"]["sort"] = axis_values(sim, "operation");
  encoding["y"]["sort"] = operator_shapes(pointers_to(sim));
  encoding["y"]["title"] = labels ? Json("batch × sequence × dimension") : Json(nullptr);
  if (!labels) encoding["y"]["axis"]["labels"] = false;
  return spec;
}

}  // namespace

std::string operator_shape(const Json& point) {
  return point.at("batch_size").dump() + "×" + point.at("sequence_length").dump() + "×" +
         point.at("tensor_dimension").dump();
}

std::vector<std::string> operator_shapes(const std::vector<const Row*>& rows) {
  std::vector<const Row*> sorted = rows;
  std::ranges::stable_sort(sorted, {}, [](const Row* row) { return elements_of(row->point); });
  std::vector<std::string> shapes;
  for (const Row* row : sorted) {
    std::string shape = operator_shape(row->point);
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(std::move(shape));
  }
  return shapes;
}

Figure operator_shares(const Results& sim) {
  const std::string title = "Operators: what they reach of the machine's peaks";
  Json spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"}, {"spacing", 20}};
  spec["title"] = figure_title(
      title, sim,
      with_failed(
          {alike_of(sim) + ". Left: the roofline ÷ time: the slowest of memory, its links and the vector units.",
           "Right: what must be read and written ÷ time, of the bandwidth of all partitions in use."},
          sim));
  spec["config"] = figure_config();
  spec["data"] = {{"values", records_of(sim, nullptr)}};
  spec["hconcat"] = Json::array({heat_map("efficiency", "efficiency: of the roofline", sim, true),
                                 heat_map("bandwidth_share", "of the peak bandwidth", sim, false)});
  return {"operator_shares", title, std::move(spec)};
}

Figure operator_times(const Results& sim, const Results& theory) {
  const std::string title = "Operators: time and the plan's bound";
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "columns": 4, "spacing": 16,
    "facet": {"field": "operation", "type": "nominal", "title": null},
    "resolve": {"axis": {"x": "shared", "y": "shared"}},
    "spec": {
      "width": 178, "height": 150,
      "encoding": {
        "x": {"field": "elements", "type": "quantitative", "title": "elements (log scale)",
              "scale": {"type": "log", "nice": false, "padding": 12},
              "axis": {"values": [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10], "format": ".0s"}}
      },
      "layer": [
        {"mark": {"type": "tick", "orient": "horizontal", "width": 14, "thickness": 2, "color": "#1b1f24"},
         "transform": [{"filter": "isValid(datum.bound_us)"}],
         "encoding": {"y": {"field": "bound_us", "type": "quantitative"}}},
        {"mark": {"type": "point", "filled": true, "opacity": 1, "size": 60, "color": "#0072B2"},
         "transform": [{"filter": "isValid(datum.time_us)"}],
         "encoding": {
           "y": {"field": "time_us", "type": "quantitative", "title": "time (µs, log scale)",
                 "scale": {"type": "log", "nice": false, "padding": 10},
                 "axis": {"values": [0.01, 0.1, 1, 10, 100, 1000, 10000], "format": "~r"}},
           "tooltip": [
             {"field": "operation"}, {"field": "shape", "title": "batch×sequence×dimension"},
             {"field": "time_ns", "title": "time (ns)", "format": ",.5~r"},
             {"field": "bound_ns", "title": "bound (ns)", "format": ",.5~r"},
             {"field": "limited_by", "title": "limited by"}]}}
      ]
    }
  })json");
  spec["transform"] = Json::parse(R"json([
    {"calculate": "isValid(datum.time_ns) ? datum.time_ns / 1000 : null", "as": "time_us"},
    {"calculate": "isValid(datum.bound_ns) ? datum.bound_ns / 1000 : null", "as": "bound_us"}
  ])json");
  Json records = records_of(sim, &theory);
  const auto has_bound = [](const Json& record) { return record.at("bound_ns").is_number(); };
  if (std::ranges::none_of(records, has_bound)) spec["spec"]["layer"].erase(0);  // of a foreign memory (29.4)
  spec["facet"]["sort"] = axis_values(sim, "operation");
  spec["title"] = figure_title(
      title, sim,
      with_failed({alike_of(sim) + ". Points: simulated. Ticks: the bound of the plan, which no run of it beats."},
                  sim));
  spec["config"] = figure_config();
  spec["data"] = {{"values", std::move(records)}};
  return {"operator_times", title, std::move(spec)};
}

std::vector<Figure> operator_figures(const Results& sim, const Results& theory) {
  // Maps of operators by shapes are of one dtype on one set of PEs.
  if (axis_values(sim, "dtype").size() > 1 || axis_values(sim, "over").size() > 1) return {};
  std::vector<Figure> figures{operator_shares(sim)};
  if (std::ranges::any_of(sim.rows, [](const Row& row) { return row.status == "ok"; })) {
    figures.push_back(operator_times(sim, theory));
  }
  return figures;
}

std::string operators_headline(const Results& sim, const Results& /*theory*/) {
  const Row* best = nullptr;
  const Row* worst = nullptr;
  for (const Row& row : sim.rows) {
    if (!metric(&row, kOperatorEfficiency).is_number()) continue;
    const auto efficiency = [](const Row* one) { return one->metrics.at(kOperatorEfficiency); };
    if (best == nullptr || efficiency(&row) > efficiency(best)) best = &row;
    if (worst == nullptr || efficiency(&row) < efficiency(worst)) worst = &row;
  }
  if (best == nullptr) return "";
  const auto told = [](const Row& row) {
    return row.point.at("operation").get<std::string>() + " of " + operator_shape(row.point) + " with " +
           percent(row.metrics.at(kOperatorEfficiency)) + " (" + formatted("%.4g µs", row.metrics.at(kTime) / 1000) +
           ")";
  };
  return "Nearest to the machine's roofline comes " + told(*best) +
         (best == worst ? "." : "; farthest from it stays " + told(*worst) + ".");
}

}  // namespace kernbench
