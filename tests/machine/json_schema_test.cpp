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

/// The schema of `path`, or null; `required` tells whether each step on the way is.
nlohmann::json find(nlohmann::json section, std::string path, bool& required) {
  required = true;
  while (true) {
    const auto dot = path.find('.');
    const auto name = path.substr(0, dot);
    if (section.at("additionalProperties") != false || !section.at("properties").contains(name)) return nullptr;
    const auto names = section.value("required", nlohmann::json::array());
    required = required && std::find(names.begin(), names.end(), name) != names.end();
    section = nlohmann::json(section.at("properties").at(name));
    if (dot == std::string::npos) return section;
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
      bool required = false;
      const auto value = find(schema, std::string(key.path), required);
      REQUIRE(value.is_object());
      CHECK(required == key.default_value.empty());
      const auto text = written_value(key, spec);
      if (value.contains("enum")) {
        CHECK(std::find(value["enum"].begin(), value["enum"].end(), text) != value["enum"].end());
      } else if (value.contains("pattern")) {
        const std::regex pattern(value["pattern"].get<std::string>());
        CHECK(std::regex_match(text, pattern));
        CHECK_FALSE(std::regex_match("-1", pattern));
        CHECK_FALSE(std::regex_match(text + "x y", pattern));
      } else {
        CHECK(value.at("minimum").get<std::int64_t>() <= std::stoll(text));
        CHECK(value.at("maximum").get<std::int64_t>() >= std::stoll(text));
      }
    }
  }
}
