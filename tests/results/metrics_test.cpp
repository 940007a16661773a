// Metrics of a row: typed constants over names that files know.
#include "benches/results/rows/metrics.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using kernbench::Json;
using kernbench::Metric;
using kernbench::Metrics;
using kernbench::prefixed;

namespace {

constexpr Metric<double> kTime{"time_ns"};
constexpr Metric<std::int64_t> kTiles{"tiles"};
constexpr Metric<std::string> kLimit{"limited_by"};
constexpr Metric<bool> kTie{"tie"};

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.14 what is set by a constant is read by it, and is in the file by its name, in the order of setting") {
    Metrics metrics{{kTime, 20.0}, {kTiles, std::size_t{48}}, {kLimit, "hbm"}};
    metrics.set(kTie, true);
    metrics.set(prefixed("measured_", kTime), 19.5);
    metrics.set(kTime, 21.0);  // stays in its place
    CHECK(metrics.json().dump() ==
          R"({"time_ns":21.0,"tiles":48,"limited_by":"hbm","tie":true,"measured_time_ns":19.5})");
    CHECK(metrics.at(kTime) == 21);
    CHECK(metrics.at(kTiles) == 48);
    CHECK(metrics.at(kLimit) == "hbm");
    CHECK(metrics.at(kTie));
    CHECK(metrics.at(prefixed("measured_", kTime)) == 19.5);
  }

  TEST_CASE("9.14 a metric that a row lacks is an error by its name, or what the reader says") {
    Metrics metrics{{kTime, 20.0}};
    CHECK_FALSE(metrics.has(kTiles));
    CHECK(metrics.find(kTiles) == std::nullopt);
    CHECK(metrics.find(kTime) == 20);
    CHECK(metrics.value_or(kTiles, 7) == 7);
    CHECK_THROWS_WITH(static_cast<void>(metrics.at(kTiles)), doctest::Contains("key 'tiles' not found"));
    metrics.erase(kTime);
    CHECK_FALSE(metrics.has(kTime));
  }

  TEST_CASE("9.14 a file's number is of the type that its constant has") {
    Metrics metrics(Json{{"time_ns", 20}});  // measured elsewhere, and written without a fraction
    CHECK(metrics.at(kTime) == 20);
    CHECK(metrics.json().dump() == R"({"time_ns":20})");
    metrics.add({{kLimit, "hbm"}});
    CHECK(metrics.json().dump() == R"({"time_ns":20,"limited_by":"hbm"})");
  }
}
