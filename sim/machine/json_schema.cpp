// Nested objects from dotted paths.
#include "sim/machine/json_schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

Json new_section() { return {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}}; }

std::string unit_pattern(Dimension dimension) {
  std::string units;
  for (const auto& unit : units_of(dimension)) units.append(units.empty() ? "" : "|").append(unit.name);
  return "[0-9]+(\\.[0-9]+)? *(" + units + ")";
}

double ratio(std::string_view text) { return static_cast<double>(parse_quantity(text, Dimension::kRatio)) / 1e6; }

bool is_decimal(Dimension dimension) { return dimension == Dimension::kRatio || dimension == Dimension::kPrice; }

/// YAML has words of its own for it, which editors read as no strings.
bool is_flag(const ChoiceField& choice) { return choice.words.size() == 2 && choice.words[0] == "false"; }

Json value_schema(const MachineKey& key) {
  Json schema;
  std::string description(key.meaning);
  if (const auto* field = std::get_if<QuantityField>(&key.field)) {
    description.append(" From ").append(field->least).append(" to ").append(field->most).append(".");
    if (field->dimension == Dimension::kCount) {
      schema = {{"type", "integer"},
                {"minimum", parse_quantity(field->least, field->dimension)},
                {"maximum", parse_quantity(field->most, field->dimension)}};
    } else if (is_decimal(field->dimension)) {
      schema = {{"type", "number"}, {"minimum", ratio(field->least)}, {"maximum", ratio(field->most)}};
    } else {
      const std::string units = unit_pattern(field->dimension);
      schema = {
          {"type", "string"},
          {"pattern", field->may_be_unknown ? "^(" + std::string(kNone) + "|" + units + ")$" : "^" + units + "$"}};
    }
    if (field->may_be_unknown && is_decimal(field->dimension)) {
      schema = {{"anyOf", Json::array({schema, {{"const", kNone}}})}};
    }
  } else if (const auto* choice = std::get_if<ChoiceField>(&key.field)) {
    schema = is_flag(*choice) ? Json{{"type", "boolean"}} : Json{{"enum", choice->words}};
  } else if (const auto* text = std::get_if<TextField>(&key.field)) {
    schema = {{"type", "string"}, {"pattern", text->pattern}};
  } else {
    schema = {{"type", "string"}, {"pattern", "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}};
  }
  schema["description"] = description;
  if (schema.value("type", "") == "boolean") {
    schema["default"] = key.default_value == "true";
  } else if (!key.default_value.empty()) {
    schema["default"] = key.default_value;
  }
  return schema;
}

/// Puts a key below `section`, making the sections on its way.
void insert(Json& section, std::string_view path, const MachineKey& key) {
  const auto dot = path.find('.');
  const std::string name(path.substr(0, dot));
  auto& properties = section["properties"];
  if (dot == std::string_view::npos) {
    properties[name] = value_schema(key);
    return;
  }
  if (!properties.contains(name)) properties[name] = new_section();
  insert(properties[name], path.substr(dot + 1), key);
}

/// The same for what a machine without a base has to say; a section with a required key is required.
void require(Json& section, std::string_view path) {
  const auto dot = path.find('.');
  const std::string name(path.substr(0, dot));
  auto& required = section["required"];
  if (std::find(required.begin(), required.end(), name) == required.end()) required.push_back(name);
  if (dot != std::string_view::npos) require(section["properties"][name], path.substr(dot + 1));
}

}  // namespace

std::string machine_json_schema() {
  Json root = new_section();
  Json whole = Json::object();
  for (const auto& key : machine_keys()) {
    insert(root, key.path, key);
    if (key.default_value.empty()) require(whole, key.path);
  }
  root["properties"]["base"] = {
      {"type", "string"}, {"minLength", 1}, {"description", "Machine file that this one inherits from."}};
  root["required"] = {"schema", "name"};  // of every file
  root["if"] = {{"not", {{"required", {"base"}}}}};
  root["then"] = whole;
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", std::string(kMachineSchema)}};
  schema.update(root);
  return schema.dump(2) + '\n';
}

}  // namespace kernbench
