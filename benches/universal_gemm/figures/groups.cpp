#include "benches/universal_gemm/figures/groups.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/measured.hpp"
#include "benches/results/figures/rows.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/universal_gemm/figures/cases.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

/// The different values of a field of the records, as they come.
std::vector<std::string> different(const Json& records, const char* field) {
  std::vector<std::string> values;
  for (const Json& record : records) add_once(values, record.at(field).get<std::string>());
  return values;
}

/// ", prefetch 4" of each axis on which the rows differ and no toggle is.
std::string other_values(const Row& row, const Results& results) {
  std::string text;
  for (const char* axis : {"prefetch", "outstanding", "placement", "launch_ns"}) {
    if (axis_values(results, axis).size() < 2) continue;
    const Json& value = row.point.at(axis);
    text += ", " + std::string(axis) + " " + plain_text(value);
  }
  return text;
}

Json group_record(const Row& row, const std::string& group, const std::string& source) {
  Json record = case_record(row);
  record["group"] = group;
  record["source"] = source;
  record["status"] = row.status;
  record["theoretical_tflops"] = metric(&row, kTheoreticalTflops);
  record["bar"] = row.point.at("method").get<std::string>() + " " + source;
  return record;
}

/// What a group's plot shows.
struct Group {
  std::string name;
  Json records = Json::array();
  std::vector<const Row*> measured = {};
};

/// By method too, of all that were measured: some are not simulated.
void add_measured(Group& group, const Row& simulated, const Results& measured) {
  if (simulated.status != "ok") return;
  Json fields{{"gpus", simulated.metrics.at(kWorldSize)}};
  for (const char* name : {"m", "k", "n", "partitions", "replication"}) fields[name] = simulated.point.at(name);
  for (const Row* row : rows_where(measured, fields)) {
    if (std::ranges::find(group.measured, row) != group.measured.end()) continue;
    group.measured.push_back(row);
    group.records.push_back(group_record(*row, group.name, measured.source.machine));
  }
}

Group group_of(const std::string& name, const Results& sim, const std::vector<Results>& measured) {
  Group group{.name = name};
  for (const Row& row : sim.rows) {
    if (row.point.at("group") != name) continue;
    Json record = group_record(row, name, kSimulated);
    record["layout"] = layout_of(row) + other_values(row, sim);
    group.records.push_back(std::move(record));
  }
  for (const Results& of : measured) {
    for (const Row& row : sim.rows) {
      if (row.point.at("group") == name) add_measured(group, row, of);
    }
  }
  return group;
}

/// "3,955 TFLOPS simulated, 3,958 nvidia-h200": all devices' together.
std::string peaks(const Json& records) {
  std::vector<std::string> texts;
  for (const Json& record : records) {
    const Json& peak = record.at("theoretical_tflops");
    if (peak.is_number())
      add_once(texts, formatted("%.0f TFLOPS ", peak.get<double>()) + record.at("source").get<std::string>());
  }
  return joined(texts, ", ");
}

/// Methods and sources in the order of bars that stand side by side.
Json bars_in_order(const std::vector<std::string>& methods, const std::vector<std::string>& sources) {
  Json bars = Json::array();
  for (const std::string& method : methods) {
    for (const std::string& source : sources) bars.push_back(method + " " + source);
  }
  return bars;
}

/// Simulated bars are full, those of each machine measured paler.
Json source_opacity(const std::vector<std::string>& sources) {
  Json range = Json::array();
  for (const std::string& source : sources) range.push_back(source == kSimulated ? 1.0 : 0.22);
  return {{"domain", sources}, {"range", std::move(range)}};
}

Json layers_of(const Group& group) {
  Json layers = Json::parse(R"json({
    "height": 240,
    "layer": [
      {"transform": [{"filter": "datum.status === 'ok' && datum.source === 'simulated'"}],
       "mark": {"type": "bar", "strokeWidth": 1.4},
       "encoding": {"tooltip": [{"field": "shape", "title": "M×K×N"}, {"field": "method"}, {"field": "layout"},
                                {"field": "source"},
                                {"field": "peak_fraction", "title": "share of peak", "format": ".1%"},
                                {"field": "tflops", "title": "TFLOPS", "format": ".4~g"},
                                {"field": "time_ns", "title": "time (ns)", "format": ",.0f"},
                                {"field": "bound_ns", "title": "bound (ns)", "format": ",.0f"},
                                {"field": "bound_bottleneck", "title": "bound by"},
                                {"field": "received_bytes", "title": "most received by a device (B)", "format": ","},
                                {"field": "exposed_ns", "title": "exposed copies (ns)", "format": ",.0f"}]}},
      {"transform": [{"filter": "datum.status === 'ok' && datum.source !== 'simulated'"}],
       "mark": {"type": "bar", "strokeWidth": 1.4},
       "encoding": {"tooltip": [{"field": "shape", "title": "M×K×N"}, {"field": "method"}, {"field": "layout"},
                                {"field": "source"},
                                {"field": "peak_fraction", "title": "share of peak", "format": ".1%"},
                                {"field": "tflops", "title": "TFLOPS", "format": ".4~g"},
                                {"field": "time_ns", "title": "time (ns)", "format": ",.0f"},
                                {"field": "received_bytes", "title": "most received by a device (B)", "format": ","}]}}
    ]
  })json");
  const std::vector<std::string> methods = different(group.records, "method");
  const std::vector<std::string> sources = different(group.records, "source");
  const Json axis{{"labelAngle", -40}, {"labelLimit", 300}, {"ticks", false}};
  const Json x{{"field", "layout"},
               {"type", "nominal"},
               {"title", nullptr},
               {"sort", different(group.records, "layout")},
               {"axis", axis}};
  const Json offset{{"field", "bar"}, {"sort", bars_in_order(methods, sources)}};
  const Json colour{{"field", "method"}, {"type", "nominal"}, {"title", nullptr}, {"scale", method_colours(methods)}};
  for (Json& layer : layers["layer"]) {
    // A few bars are not as wide as the panel.
    layer["mark"]["width"] = {{"expr", "min(22, 0.86 * bandwidth('xOffset'))"}};
    layer["encoding"].update({{"x", x}, {"xOffset", offset}, {"color", colour}, {"stroke", colour}});
    layer["encoding"]["y"] = {{"field", "peak_fraction"},
                              {"type", "quantitative"},
                              {"title", "share of peak"},
                              {"scale", {{"domain", {0, 1.1}}}},
                              {"axis", {{"format", ".0%"}, {"values", {0, 0.2, 0.4, 0.6, 0.8, 1}}}}};
    layer["encoding"]["fillOpacity"] = {{"field", "source"},
                                        {"type", "ordinal"},
                                        {"title", nullptr},
                                        {"sort", sources},
                                        {"scale", source_opacity(sources)}};
  }
  layers["layer"].push_back(
      {{"transform", Json::array({{{"filter", "datum.status !== 'ok'"}}})},
       {"mark", {{"type", "text"}, {"angle", 270}, {"align", "left"}, {"dx", 3}}},
       {"encoding", {{"x", x}, {"xOffset", offset}, {"y", {{"datum", 0}}}, {"text", {{"field", "status"}}}}}});
  const Json once{{"values", Json::array({Json::object()})}};
  layers["layer"].push_back(
      {{"data", once},
       {"mark", {{"type", "rule"}, {"strokeDash", {6, 4}}, {"strokeWidth", 1.4}, {"color", palette::kInk}}},
       {"encoding", {{"y", {{"datum", 1}}}}}});
  layers["layer"].push_back(
      {{"data", once},
       {"mark", {{"type", "text"}, {"align", "left"}, {"baseline", "bottom"}, {"text", "theoretical peak"}}},
       {"encoding", {{"x", {{"value", 4}}}, {"y", {{"datum", 1}}}}}});
  return layers;
}

Figure group_figure(const Group& group, const Results& sim, const std::vector<Results>& measured) {
  const std::string title = group.name + ": share of all devices' peak" +
                            (group.measured.empty() ? ", simulated" : ", simulated and measured");
  std::vector<std::string> notes{kReplicas};
  if (!group.measured.empty()) notes.emplace_back("Full bars are simulated, pale ones with an outline measured.");
  const std::string peak = peaks(group.records);
  if (!peak.empty()) notes.push_back("Dashed: the theoretical peak of all devices, " + peak + ".");
  if (!group.measured.empty()) {
    for (const std::string& note : measured_notes(measured, group.measured)) notes.push_back(note);
  }
  Json spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
            {"params", toggled_params()},
            {"transform", Json::array({if_toggled(toggled_fields())})}};
  const std::vector<std::string> shapes = different(group.records, "shape");
  spec["facet"] = {{"field", "shape"}, {"type", "nominal"}, {"title", nullptr}, {"sort", shapes}};
  spec["columns"] = 2;
  spec["spec"] = layers_of(group);
  spec["spec"]["width"] = shapes.size() == 1 ? 780 : 372;
  spec["title"] = figure_title(title, sim, notes);
  spec["config"] = figure_config();
  spec["data"] = {{"values", group.records}};
  return {"group_" + group.name, title, std::move(spec)};
}

const Axis& axis_of(const Bench& bench, const std::string& name) {
  return *std::ranges::find(bench.axes, name, &Axis::name);
}

Axis plain_axis(const char* name, const std::vector<std::string>& labels) {
  Axis axis{.name = name, .values = {}};
  for (const std::string& label : labels) axis.values.emplace_back(label, label);
  return axis;
}

}  // namespace

std::vector<Figure> group_figures(const Results& simulated, const std::vector<Results>& measured) {
  std::vector<Figure> figures;
  for (const std::string& name : axis_values(simulated, "group")) {
    figures.push_back(group_figure(group_of(name, simulated, measured), simulated, measured));
  }
  return figures;
}

std::vector<Axis> group_toggles(const Bench& bench, const std::vector<Results>& measured) {
  std::vector<std::string> groups;
  for (const AxisValue& shape : axis_of(bench, "shape").values) add_once(groups, shape.fields.at("group"));
  std::vector<std::string> methods;
  for (const AxisValue& method : axis_of(bench, "method").values) add_once(methods, method.label);
  std::vector<std::string> sources{kSimulated};
  for (const Results& of : measured) {
    for (const std::string& method : axis_values(of, "method")) add_once(methods, method);
    add_once(sources, of.source.machine);
  }
  return {plain_axis("group", groups),
          plain_axis("method", methods),
          {.name = "partitions", .values = axis_of(bench, "partitions").values},
          {.name = "replication", .values = axis_of(bench, "replication").values},
          plain_axis("source", sources)};
}

}  // namespace kernbench
