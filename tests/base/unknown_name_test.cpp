// The one message about a name that nobody knows, and the two kinds of table that names are looked up in.
#include "sim/base/unknown_name.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/names.hpp"
#include "sim/base/registry.hpp"
#include "sim/base/source_place.hpp"

using namespace kernbench;

namespace {

enum class Fruit { kApple, kPear, kPlum };

constexpr Names<Fruit> kFruits{"fruit", {{Fruit::kPear, "pear"}, {Fruit::kApple, "apple"}}};
static_assert(kFruits[Fruit::kApple] == "apple");
static_assert(kFruits.parse("pear") == Fruit::kPear);
static_assert(!kFruits.find("plum"));

struct Tool {
  std::string name;
  int weight = 0;
};

using Place = SourcePlace;

}  // namespace

TEST_SUITE("ADR-0012") {
  TEST_CASE("12.12 an unknown name is told its kind, the nearest name and all names") {
    const std::vector<std::string> names{"shape", "variant"};
    CHECK(unknown_name("axis", "shap", names) ==
          "unknown axis 'shap': did you mean 'shape'? There are: shape, variant");
    CHECK(unknown_name("axis", "xyz", names) == "unknown axis 'xyz'. There are: shape, variant");
    CHECK(unknown_name("axis", "x", std::vector<std::string>{}) == "unknown axis 'x'. There are none");
    std::vector<std::string> many;
    many.reserve(33);
    for (int i = 0; i < 33; ++i) many.push_back("name" + std::to_string(i));
    const std::string said = unknown_name("value", "nmae31", many);
    CHECK(said.starts_with("unknown value 'nmae31': did you mean 'name31'? There are 33: name0, name1, "));
    CHECK(said.ends_with("name31, ..."));
    many.pop_back();
    CHECK(unknown_name("value", "nam32", many).ends_with(", name31"));
  }

  TEST_CASE("12.12 a table of an enumeration goes both ways and refuses what it has not") {
    CHECK(std::vector<Fruit>(kFruits.values().begin(), kFruits.values().end()) ==
          std::vector<Fruit>{Fruit::kPear, Fruit::kApple});
    CHECK_THROWS_WITH_AS((void)kFruits.parse("aple"),
                         "unknown fruit 'aple': did you mean 'apple'? There are: pear, apple", ConfigError);
    CHECK_THROWS_WITH_AS((void)kFruits[Fruit::kPlum], "the fruit of number 2 has no name", std::logic_error);
  }

  TEST_CASE("12.12 a registry has its objects by name, in the order of names") {
    Registry<Tool> tools("tool");
    tools.add({"saw", 3}, Place::here());
    tools.add({"axe", 5}, Place::here());
    tools.add({"hammer", 4}, Place::here());
    CHECK(tools.names() == std::vector<std::string>{"axe", "hammer", "saw"});
    CHECK(tools.find("axe").weight == 5);
    CHECK(tools.find("hammer").weight == 4);
    CHECK(tools.all().back().weight == 3);
    CHECK_THROWS_WITH_AS((void)tools.find("hamer"),
                         "unknown tool 'hamer': did you mean 'hammer'? There are: axe, hammer, saw", ConfigError);
    CHECK_THROWS_WITH_AS((void)tools.find("z", "--tool"), "--tool: unknown tool 'z'. There are: axe, hammer, saw",
                         ConfigError);
  }

  TEST_CASE("12.13 a second object of a name is refused, and both places are named") {
    Registry<Tool> tools("tool");
    const Place first = Place::here();
    tools.add({"saw", 3}, first);
    tools.add({"axe", 5}, Place::here());
    const Place second = Place::here();
    std::string said;
    try {
      tools.add({"saw", 7}, second);
    } catch (const std::logic_error& error) {
      said = error.what();
    }
    const auto at = [](const Place& place) { return place.file + (":" + std::to_string(place.line)); };
    CHECK(said == "the tool 'saw' is registered twice: at " + at(first) + " and at " + at(second));
    CHECK(tools.find("saw").weight == 3);
    CHECK(tools.all().size() == 2);
  }
}
