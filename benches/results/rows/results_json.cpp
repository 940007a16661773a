// Writing and reading `kernbench.results/1`.
#include "benches/results/rows/results_json.hpp"

#include <cmath>
#include <stdexcept>

#include "benches/results/rows/checked_json.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

const std::string kSchemaName = "kernbench.results/";
constexpr int kMajorVersion = 1;

double finite(double value, const std::string& name) {
  if (!std::isfinite(value)) throw std::domain_error(name + " is not a finite number");
  return value;
}

void require_finite(const Json& values) {
  for (const auto& [name, value] : values.items()) {
    if (value.is_number_float()) finite(value.get<double>(), name);
  }
}

Json stage_to_json(const StageRow& stage) {
  Json json{{"stage", stage.stage},
            {"engine", stage.engine},
            {"wall_ns", finite(stage.wall_ns, stage.stage + " wall_ns")},
            {"busy_ns", finite(stage.busy_ns, stage.stage + " busy_ns")},
            {"records", stage.records},
            {"bytes", stage.bytes},
            {"macs", stage.macs}};
  if (stage.energy_pj) json["energy_pj"] = finite(*stage.energy_pj, stage.stage + " energy_pj");
  return json;
}

StageRow stage_from_json(const CheckedJson& json) {
  StageRow stage{json.at("stage").string(),   json.at("engine").string(),   json.at("wall_ns").number(),
                 json.at("busy_ns").number(), json.at("records").integer(), json.at("bytes").integer(),
                 json.at("macs").integer()};
  if (json.has("energy_pj")) stage.energy_pj = json.at("energy_pj").number();
  return stage;
}

Json link_to_json(const LinkRow& link) {
  return {{"name", link.name},
          {"from_x", link.from_x},
          {"from_y", link.from_y},
          {"to_x", link.to_x},
          {"to_y", link.to_y},
          {"wires", link.wires},
          {"utilisation", finite(link.utilisation, link.name + " utilisation")}};
}

LinkRow link_from_json(const CheckedJson& json) {
  return {json.at("name").string(),       json.at("from_x").integer(), json.at("from_y").integer(),
          json.at("to_x").integer(),      json.at("to_y").integer(),   json.at("wires").integer(),
          json.at("utilisation").number()};
}

Row read_row(const CheckedJson& json) {
  Row row;
  row.point = json.at("point").flat_object();
  row.status = json.at("status").string();
  if (row.status != "ok" && row.status != "failed" && row.status != "skipped") {
    json.at("status").expected(R"("ok", "failed" or "skipped")");
  }
  if (row.status != "ok") row.reason = json.at("reason").string();
  row.metrics = Metrics(json.at("metrics").flat_object());
  const CheckedJson stages = json.at("stages");
  for (std::size_t i = 0; i < stages.array().size(); ++i) row.stages.push_back(stage_from_json(stages.at(i)));
  row.windows = json.at("windows").flat_object();
  const CheckedJson flags = json.at("flags");
  for (std::size_t i = 0; i < flags.array().size(); ++i) row.flags.push_back(flags.at(i).string());
  if (json.has("links")) {
    const CheckedJson links = json.at("links");
    for (std::size_t i = 0; i < links.array().size(); ++i) row.links.push_back(link_from_json(links.at(i)));
  }
  if (json.has("timeline")) row.timeline = json.at("timeline").object();
  return row;
}

void require_schema(const CheckedJson& json, const std::string& file) {
  const std::string schema = json.at("schema").string();
  const std::string version = schema.substr(std::min(kSchemaName.size(), schema.size()));
  const bool ours = schema.rfind(kSchemaName, 0) == 0 && !version.empty() && version.size() < 10 &&
                    version.find_first_not_of("0123456789") == std::string::npos;
  if (!ours) json.at("schema").expected("\"" + std::string(kResultsSchema) + "\"");
  if (std::stoi(version) > kMajorVersion) {
    throw ConfigError(file + ": schema " + schema + " is newer than this kernbench, which reads up to " +
                      kResultsSchema + ": update kernbench, or run the bench again with this one");
  }
  if (std::stoi(version) < 1) json.at("schema").expected("\"" + std::string(kResultsSchema) + "\"");
}

/// The members of a row on a line each, and each stage and link on its own.
std::string format_row(const Json& row) {
  std::string text;
  for (const auto& [name, value] : row.items()) {
    text += text.empty() ? "    {" : ",\n     ";
    text += Json(name).dump() + ": ";
    if ((name != "stages" && name != "links") || value.empty()) {
      text += value.dump();
      continue;
    }
    std::string separator = "[\n       ";
    for (const Json& entry : value) {
      text += separator + entry.dump();
      separator = ",\n       ";
    }
    text += "]";
  }
  return text + "}";
}

}  // namespace

Json row_to_json(const Row& row) {
  require_finite(row.metrics.json());
  require_finite(row.windows);
  Json json{{"point", row.point}, {"status", row.status}};
  if (row.status != "ok") json["reason"] = row.reason;
  json["metrics"] = row.metrics.json();
  json["stages"] = Json::array();
  for (const StageRow& stage : row.stages) json["stages"].push_back(stage_to_json(stage));
  json["windows"] = row.windows;
  json["flags"] = row.flags;
  for (const LinkRow& link : row.links) json["links"].push_back(link_to_json(link));
  if (!row.timeline.empty()) json["timeline"] = row.timeline;
  return json;
}

Row row_from_json(const Json& json, const std::string& place) { return read_row(CheckedJson(json, place)); }

Json source_to_json(const Source& source) {
  Json json{{"kind", source.kind},
            {"machine", source.machine},
            {"machine_sha256", source.machine_sha256},
            {"model", source.model},
            {"bench", source.bench}};
  if (!source.settings.empty()) json["settings"] = source.settings;
  return json;
}

Source source_from_json(const Json& json, const std::string& place) {
  const CheckedJson source(json, place, "source");
  Source read{source.at("kind").string(), source.at("machine").string(), source.at("machine_sha256").string(),
              source.at("model").string(), source.at("bench").string()};
  if (!source.has("settings")) return read;
  const CheckedJson settings = source.at("settings");
  for (const auto& [key, value] : settings.object().items()) read.settings[key] = settings.at(key).string();
  return read;
}

std::string format_results(const Results& results) {
  std::string text = "{\n";
  const auto member = [&text](const char* name, const Json& value) {
    text += "  " + Json(name).dump() + ": " + value.dump() + ",\n";
  };
  member("schema", kResultsSchema);
  member("bench", results.bench);
  member("source", source_to_json(results.source));
  member("provenance", results.provenance);
  text += "  \"rows\": [";
  std::string separator = "\n";
  for (const Row& row : results.rows) {
    text += separator + format_row(row_to_json(row));
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

Results parse_results(const std::string& text, const std::string& file) {
  const Json json = parse_json(text, file);
  const CheckedJson root(json, file);
  require_schema(root, file);
  Results results;
  results.bench = root.at("bench").string();
  results.source = source_from_json(root.at("source").object(), file);
  results.provenance = root.at("provenance").object();
  const CheckedJson rows = root.at("rows");
  for (std::size_t i = 0; i < rows.array().size(); ++i) results.rows.push_back(read_row(rows.at(i)));
  return results;
}

}  // namespace kernbench
