// Axes become points; --only picks some; benches are found by name.
#include "benches/workloads/selection.hpp"

#include <doctest/doctest.h>

#include <string>

#include "benches/experiments/run/run_bench.hpp"
#include "benches/workloads/bench.hpp"
#include "sim/base/errors.hpp"

using kernbench::Bench;
using kernbench::ConfigError;
using kernbench::expand_points;
using kernbench::select_points;

namespace {

Bench bench() {
  Bench bench;
  bench.name = "toy";
  bench.axes = {{"shape", {{"2x3", {{"m", 2}, {"k", 3}}}, {"4x5", {{"m", 4}, {"k", 5}}}}},
                {"variant", {"load_ref", "load_load"}},
                {"depth", {1, 8}}};
  return bench;
}

std::string names(const std::string& only) {
  std::string text;
  for (const auto& point : select_points(bench(), only)) text += point.name + "\n";
  return text;
}

std::string selection_error(const std::string& only) {
  try {
    select_points(bench(), only);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("points are the product of the axes, the first slowest, their fields in order") {
  const auto points = expand_points(bench());
  REQUIRE(points.size() == 8);
  CHECK(points[0].point.dump() == R"({"m":2,"k":3,"variant":"load_ref","depth":1})");
  CHECK(points[1].point["depth"] == 8);
  CHECK(points[7].point.dump() == R"({"m":4,"k":5,"variant":"load_load","depth":8})");
  CHECK(points[7].labels == std::vector<std::string>{"4x5", "load_load", "8"});
}

TEST_CASE("two axes that set the same field are a mistake of the bench") {
  Bench twice = bench();
  twice.axes.push_back({"m", {1}});
  CHECK_THROWS_AS(expand_points(twice), std::logic_error);
}

TEST_CASE("--only keeps the points that agree with every axis named, in their order") {
  CHECK(select_points(bench(), "").size() == 8);
  CHECK(names("shape=4x5,variant=load_ref") == "4x5 load_ref 1\n4x5 load_ref 8\n");
  CHECK(names("depth=8,shape=4x5,variant=load_ref,variant=load_load") == "4x5 load_ref 8\n4x5 load_load 8\n");
}

TEST_CASE("--only names the nearest axis and value, and all of them") {
  CHECK(selection_error("shap=4x5") ==
        "--only: toy: unknown axis 'shap': did you mean 'shape'? There are: shape, variant, depth");
  CHECK(selection_error("variant=laod_ref") ==
        "--only: axis variant of toy: unknown value 'laod_ref': did you mean 'load_ref'? There are: load_ref, "
        "load_load");
  CHECK(selection_error("depth=1,4x5") == "--only: expected axis=value, got \"4x5\"; for example --only shape=2x3");
}

TEST_CASE("benches are registered once and found by name") {
  CHECK(kernbench::register_bench(bench()));
  CHECK_THROWS_AS(kernbench::register_bench(bench()), std::logic_error);
  CHECK(kernbench::find_bench("toy").axes.size() == 3);
  CHECK_THROWS_WITH_AS(kernbench::find_bench("tyo"), "--bench: unknown bench 'tyo': did you mean 'toy'? There are: toy",
                       ConfigError);
}

TEST_SUITE("ADR-0020") {
  TEST_CASE("20.8 a bench leaves combinations of its axes out, and the others keep their order") {
    Bench some = bench();
    some.includes = [](const kernbench::Point& point) { return point.at("m") == 4 || point.at("depth") == 8; };
    std::string text;
    for (const auto& point : expand_points(some)) text += point.name + "\n";
    CHECK(text ==
          "2x3 load_ref 8\n2x3 load_load 8\n4x5 load_ref 1\n4x5 load_ref 8\n4x5 load_load 1\n4x5 load_load 8\n");
    CHECK(select_points(some, "shape=2x3").size() == 2);
  }

  TEST_CASE("20.10 derived rows follow the others, once, and say what they are") {
    Bench deriving = bench();
    deriving.derive = [](const kernbench::Results& simulated) {
      kernbench::Row count;
      count.point = {{"derived", "count"}};
      count.metrics.json()["rows"] = simulated.rows.size();
      return std::vector<kernbench::Row>{count};
    };
    kernbench::Results results;
    results.rows.resize(3);
    kernbench::derive_rows(deriving, results);
    kernbench::derive_rows(deriving, results);
    REQUIRE(results.rows.size() == 4);
    CHECK(results.rows[3].metrics.json()["rows"] == 3);
    deriving.derive = [](const kernbench::Results&) { return std::vector<kernbench::Row>(1); };
    CHECK_THROWS_AS(kernbench::derive_rows(deriving, results), std::logic_error);
  }
}
