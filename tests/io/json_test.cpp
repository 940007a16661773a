// JSON texts: what is taken is taken whole, everything else has its place.
#include "benches/io/text/json.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "sim/base/errors.hpp"

using kernbench::Json;
using kernbench::parse_json;

namespace {

std::string refused(const std::string& text) {
  try {
    static_cast<void>(parse_json(text, "f.json"));
    return "";
  } catch (const kernbench::ConfigError& error) {
    return error.what();
  }
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

rc::Gen<Json> any_json(int depth) {
  const auto number = rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t value) { return Json(value); });
  const auto text = rc::gen::map(rc::gen::string<std::string>(), [](const std::string& value) {
    return Json(kernbench::Json::parse(Json(value).dump(-1, ' ', true, Json::error_handler_t::replace)));
  });
  const auto other = rc::gen::element(Json(nullptr), Json(true), Json(0.1), Json(-1e300));
  if (depth == 0) return rc::gen::oneOf(number, text, other);
  const auto inner = rc::gen::container<std::vector<Json>>(any_json(depth - 1));
  return rc::gen::oneOf(number, text, other,
                        rc::gen::map(inner, [](const std::vector<Json>& all) { return Json(all); }),
                        rc::gen::map(inner, [](const std::vector<Json>& all) {
                          Json object = Json::object();
                          for (const Json& value : all) object["k" + std::to_string(object.size())] = value;
                          return object;
                        }));
}

}  // namespace

TEST_SUITE("ADR-0026") {
  TEST_CASE("26.6 what is written is read back, in its order") {
    CHECK(rc::check("any value, compact and indented", [] {
      const Json value = *any_json(3);
      RC_ASSERT(parse_json(value.dump(), "f.json").dump() == value.dump());
      RC_ASSERT(parse_json(value.dump(2), "f.json").dump() == value.dump());
    }));
    CHECK(parse_json("\xEF\xBB\xBF{\"b\": 1, \"a\": 2}", "f.json").dump() == R"({"b":1,"a":2})");
  }

  TEST_CASE("26.6 a field that an object has twice is refused where it stands again") {
    CHECK(refused("{\"a\": 1,\n  \"b\": 2, \"a\": 1}") == "f.json:2:13: the field \"a\" is there twice");
    CHECK(refused("{\"a\": 1, \"\\u0061\": 1}") == "f.json:1:17: the field \"a\" is there twice");
    CHECK(refused("[{\"a\": {\"a\": 1}}, {\"a\": 1}]").empty());
  }

  TEST_CASE("26.6 nesting, fields and numbers have an end that is said with its place") {
    CHECK(refused(nested(64, "[", "]")).empty());
    CHECK(refused(nested(65, "[", "]")) ==
          "f.json:1:65: expected at most 64 arrays and objects inside each other, got more");
    CHECK(refused(nested(100'000, "[", "]")).starts_with("f.json:1:65: "));
    CHECK(refused(nested(100'000, "{\"a\":", "}")).starts_with("f.json:1:321: "));
    std::string fields = "{\"f\": 1";
    for (int i = 1; i < 10'000; ++i) fields += ",\"f" + std::to_string(i) + "\":1";
    CHECK(refused(fields + "}").empty());
    CHECK(refused(fields + ",\"g\":1}").ends_with(": expected at most 10000 fields of an object, got more"));
    CHECK(refused("[1e999]") == "f.json:1:6: not valid JSON: number overflow parsing '1e999'");
  }

  TEST_CASE("26.6 what is not JSON is refused with line and column") {
    CHECK(refused("").starts_with("f.json:1:1: not valid JSON: "));
    CHECK(refused("{\n  \"a\": nul\n}").starts_with("f.json:2:11: not valid JSON: syntax error while parsing value"));
    CHECK(refused("[1] [2]").starts_with("f.json:1:5: not valid JSON: "));
    CHECK(refused("[NaN]").starts_with("f.json:1:2: not valid JSON: "));
    CHECK(refused("[\"\xFF\"]").starts_with("f.json:1:3: not valid JSON: "));
    CHECK(refused("{\"a\x1b\": 1}").find('\x1b') == std::string::npos);
    CHECK(refused("\"" + std::string(1'000'000, 'a')).size() < 500);
  }
}
