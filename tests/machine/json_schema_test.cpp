// The JSON Schema knows every key, requires the required ones, and its patterns accept what the reader accepts.
#include "sim/machine/json_schema.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "sim/machine/schema.hpp"
#include "tests/machine/example_machine.hpp"

using namespace kernbench;

namespace {

/// The schema of `path`, or null.
nlohmann::json find(nlohmann::json section, std::string path) {
  while (true) {
    const auto dot = path.find('.');
    const auto name = path.substr(0, dot);
    if (section.at("additionalProperties") != false || !section.at("properties").contains(name)) return nullptr;
    section = nlohmann::json(section.at("properties").at(name));
    if (dot == std::string::npos) return section;
    path = path.substr(dot + 1);
  }
}

/// Whether each step to `path` is required of a machine without a base.
bool is_required(const nlohmann::json& whole, std::string path) {
  nlohmann::json section = whole;
  while (true) {
    const auto dot = path.find('.');
    const auto name = path.substr(0, dot);
    const auto names = section.value("required", nlohmann::json::array());
    if (std::find(names.begin(), names.end(), name) == names.end()) return false;
    if (dot == std::string::npos) return true;
    section = nlohmann::json(section.at("properties").at(name));
    path = path.substr(dot + 1);
  }
}

}  // namespace

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.11 the JSON Schema for editors has every key of the table and agrees with the reader") {
    const auto schema = nlohmann::json::parse(machine_json_schema());
    const auto spec = parse_machine(kExample, "m.yaml").spec;
    for (const auto& key : machine_keys()) {
      CAPTURE(key.path);
      const auto value = find(schema, std::string(key.path));
      REQUIRE(value.is_object());
      CHECK(is_required(schema.at("then"), std::string(key.path)) == key.default_value.empty());
      const auto text = written_value(key, spec);
      if (value.contains("enum")) {
        CHECK(std::find(value["enum"].begin(), value["enum"].end(), text) != value["enum"].end());
      } else if (value.contains("pattern")) {
        const std::regex pattern(value["pattern"].get<std::string>());
        CHECK(std::regex_match(text, pattern));
        CHECK_FALSE(std::regex_match("-1", pattern));
        CHECK_FALSE(std::regex_match(text + "x y", pattern));
      } else if (value.value("type", "") == "boolean") {
        CHECK((text == "false" || text == "true"));
        CHECK(value.at("default") == (key.default_value == "true"));
      } else if (value.contains("anyOf")) {  // a price, or none
        CHECK(value["anyOf"].at(0).at("type") == "number");
        CHECK(value["anyOf"].at(1).at("const") == text);
      } else {
        CHECK(value.at("minimum").get<std::int64_t>() <= std::stoll(text));
        CHECK(value.at("maximum").get<std::int64_t>() >= std::stoll(text));
      }
    }
  }
  TEST_CASE("3.11 the JSON Schema asks a machine with a base for its schema and name alone") {
    const auto schema = nlohmann::json::parse(machine_json_schema());
    CHECK(schema.at("if") == nlohmann::json::parse(R"({"not": {"required": ["base"]}})"));
    CHECK(schema.at("required") == nlohmann::json::parse(R"(["schema", "name"])"));
    CHECK(schema.at("properties").at("base").at("type") == "string");
    CHECK_FALSE(schema.at("properties").at("pe").contains("required"));
  }
}
