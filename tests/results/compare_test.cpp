// What moved between two results of a bench, and which results may take the place of committed ones.
#include "benches/results/rows/compare.hpp"

#include <doctest/doctest.h>

#include <string>

using kernbench::approval_refused;
using kernbench::compare_results;
using kernbench::Json;
using kernbench::Results;
using kernbench::Row;

namespace {

Results two_rows() {
  Results results{"toy", {"sim", "m", "abc", "2", "1"}, Json::object(), {}};
  for (const int size : {1, 2, 3}) {
    Row row;
    row.point = {{"size", size}};
    row.metrics.json() = {{"time_ns", 100.0 * size}, {"busiest", "hbm"}};
    row.windows = {{"pe_ns", 90.0 * size}};
    row.stages = {{"mac", "pe0.mac", 10, 20, 1, 0, 4096}};
    row.links = {{"east 0", 0, 0, 1, 0, 4, 0.5}};
    results.rows.push_back(row);
  }
  return results;
}

bool refused(const Results& before, const Results& after) {
  return !approval_refused(compare_results(before, after)).empty();
}

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.11 equal results have no differences, whatever their provenance and the wording of reasons") {
    Results after = two_rows();
    after.provenance = {{"host", "other"}};
    after.rows[0].reason = "in other words";
    const auto comparison = compare_results(two_rows(), after);
    CHECK(comparison.rows.empty());
    CHECK(comparison.sources.empty());
    CHECK(approval_refused(comparison).empty());
  }

  TEST_CASE("9.11 what moved is told by row and value, with what was, what is and percent") {
    Results after = two_rows();
    after.rows[1].metrics.json()["time_ns"] = 210.0;
    after.rows[1].metrics.json()["busiest"] = "link";
    after.rows[1].stages[0].busy_ns = 15;
    after.rows[1].links[0].utilisation = 0.25;
    const auto comparison = compare_results(two_rows(), after);
    REQUIRE(comparison.rows.size() == 1);
    CHECK(comparison.rows[0].point == Json{{"size", 2}});
    const auto& values = comparison.rows[0].values;
    REQUIRE(values.size() == 4);
    CHECK(values[0].name == "time_ns");
    CHECK(values[0].was == 200.0);
    CHECK(values[0].now == 210.0);
    CHECK(values[0].percent() == doctest::Approx(5.0));
    CHECK(values[1].name == "busiest");
    CHECK_FALSE(values[1].percent());
    CHECK(values[2].name == "mac@pe0.mac busy_ns");
    CHECK(values[2].percent() == doctest::Approx(-25.0));
    CHECK(values[3].name == "east 0 utilisation");
    CHECK(comparison.moved() == 4);
    CHECK(comparison.added() == 0);
  }

  TEST_CASE("9.11 a changed number under the same versions is refused, under a raised model version accepted") {
    Results after = two_rows();
    after.rows[2].metrics.json()["time_ns"] = 300.001;
    CHECK(refused(two_rows(), after));
    after.source.model = "3";
    CHECK_FALSE(refused(two_rows(), after));
    after.source.model = "10";  // versions are numbers, not words
    CHECK_FALSE(refused(two_rows(), after));
    after.source.model = "1";
    CHECK(refused(two_rows(), after));
  }

  TEST_CASE("9.11 a change of machine or bench explains a changed number") {
    Results after = two_rows();
    after.rows[2].metrics.json()["time_ns"] = 300.001;
    SUBCASE("machine") { after.source.machine_sha256 = "def"; }
    SUBCASE("bench") { after.source.bench = "2"; }
    CHECK_FALSE(refused(two_rows(), after));
  }

  TEST_CASE("9.11 an added value and an added row are accepted; what is gone is not") {
    Results more = two_rows();
    more.rows[0].metrics.json()["alpha_ns"] = 3.0;
    more.rows.push_back(more.rows[0]);
    more.rows.back().point = {{"size", 4}};
    const auto comparison = compare_results(two_rows(), more);
    CHECK(comparison.moved() == 0);
    CHECK(comparison.added() == 2);
    CHECK(approval_refused(comparison).empty());
    CHECK(refused(more, two_rows()));
    Results fewer = two_rows();
    fewer.rows.pop_back();
    CHECK(refused(two_rows(), fewer));
    Results failed = two_rows();
    failed.rows[0].status = "failed";
    CHECK(refused(two_rows(), failed));
  }

  TEST_CASE("9.11 rows belong together by their points, in whatever order they come") {
    Results after = two_rows();
    std::swap(after.rows[0], after.rows[2]);
    CHECK(compare_results(two_rows(), after).rows.empty());
    after.rows.push_back(after.rows[0]);
    CHECK(compare_results(two_rows(), after).rows.size() == 1);
    CHECK(compare_results(after, two_rows()).rows.size() == 1);
  }
}
