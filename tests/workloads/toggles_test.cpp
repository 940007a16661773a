// What --show and a bench's toggles put into its page.
#include "benches/workloads/toggles.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

std::vector<Axis> two_axes() {
  return {{.name = "method", .values = {{"a", Json("a")}, {"b", Json("b")}}},
          {.name = "replication", .values = {{"1", Json{{"replication", 1}}}, {"2", Json{{"replication", 2}}}}}};
}

std::string refusal(const std::string& show) {
  try {
    static_cast<void>(toggles_json("some-bench", two_axes(), show));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.22 all is shown of an axis that --show does not name, else what it names") {
    const Json all = toggles_json("some-bench", two_axes(), "");
    const Json some = toggles_json("some-bench", two_axes(), "replication=2");
    REQUIRE(all.size() == 2);
    CHECK(all.at(1).at("name") == "replication");
    for (const Json& axis : all) {
      for (const Json& value : axis.at("values")) CHECK(value.at("shown") == true);
    }
    CHECK(some.at(0) == all.at(0));
    CHECK(some.at(1).at("values").at(0).at("shown") == false);
    CHECK(some.at(1).at("values").at(1).at("shown") == true);
    CHECK(some.at(1).at("values").at(1).at("value") == 2);  // as the figures' records have it
  }

  TEST_CASE("11.22 what there is not is refused with what there is") {
    CHECK(holds(refusal("methd=a"), "methd"));
    CHECK(holds(refusal("methd=a"), "method"));
    CHECK(holds(refusal("method=c"), "a"));
    CHECK(holds(refusal("method=c"), "--show"));
    CHECK(holds(refusal("method"), "expected axis=value"));
    CHECK(refusal("method=a,method=b") == "");
  }
}
}  // namespace kernbench
