// Points of a bench from a file: what a line is, what all come to, and what is refused where.
#include "benches/experiments/whatif/points_file.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "benches/experiments/whatif/sweep.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/open_axis.hpp"
#include "sim/base/errors.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernbench;

namespace {

Bench product_bench() {
  Bench bench;
  bench.name = "product";
  bench.version = "1";
  bench.axes = {dimension_axis("m"),
                dimension_axis("n"),
                {"size", {{"1 KiB", {{"bytes", 1024}}}, {"2 KiB", {{"bytes", 2048}}}}},
                {"variant", {"fast", "slow"}}};
  return bench;
}

/// The bench with the points of a file of this text.
Bench of_text(const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "points.csv").string();
  std::ofstream(file) << text;
  return with_points(product_bench(), file);
}

std::string refused(const std::string& text) {
  try {
    static_cast<void>(of_text(text));
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    const std::size_t file = what.find("points.csv");
    return file == std::string::npos ? what : what.substr(file);
  }
  return "";
}

Results with_times(const Bench& bench, const std::vector<double>& times) {
  Results results;
  for (const LabelledPoint& point : expand_points(bench)) {
    Row row;
    row.point = point.point;
    row.metrics.json() = {{"time_ns", times.at(results.rows.size())}};
    results.rows.push_back(row);
  }
  derive_rows(bench, results);
  return results;
}

}  // namespace

TEST_SUITE("ADR-0063") {
  TEST_CASE("63.5 a line is a point, in the place of the axes that are columns; others have their values") {
    const std::vector<LabelledPoint> points =
        expand_points(of_text("count, size ,m,name\n3,2 KiB,16,a b\n\n1,1 KiB,32,\"c,d\"\n"));
    REQUIRE(points.size() == 4);
    CHECK(points[0].point == Json::parse(R"({"m":16,"bytes":2048,"point":"a b","count":3,"n":512,"variant":"fast"})"));
    CHECK(points[1].point.at("variant") == "slow");
    CHECK(points[3].point.at("point") == "c,d");
    CHECK(points[2].name == "c,d fast");
    CHECK(expand_points(of_text("m\n4\n8\n"))[4].point ==
          Json::parse(R"({"m":8,"point":"8","n":512,"bytes":1024,"variant":"fast"})"));
  }

  TEST_CASE("63.6 all lines come to the sum of count x time, one for all that is not of the file") {
    const Bench bench = of_text("m,name,count\n16,a,3\n32,b,1\n");
    const Results results = with_times(bench, {10, 11, 12, 13, 100, 101, 102, 103});
    REQUIRE(results.rows.size() == 12);
    const Row& first = results.rows[8];
    CHECK(first.point == Json::parse(R"({"n":512,"bytes":1024,"variant":"fast","derived":"total"})"));
    CHECK(first.metrics.json() ==
          Json::parse(R"({"time_ns":130.0,"runs":4,"points":2,"most":"b","most_share":0.76923076923076927})"));
    CHECK(results.rows[11].metrics.json().at("time_ns") == 3 * 13 + 103);
    CHECK(headline_of_points(results) ==
          "All of it, 4 runs of 2 points, takes 0.13 µs; most of it b, 76.9 %; that is the least of 4, with n 512, "
          "bytes 1024, variant fast.");
    Results copied = with_times(bench, {10, 11, 12, 13, 100, 101, 102, 103});
    copied.rows[0].metrics.set(kReplicatedTime, 20.0);
    copied.rows[4].metrics.set(kReplicatedTime, 2000.0);
    derive_rows(bench, copied);
    CHECK(copied.rows[8].metrics.at(kReplicatedTime) == 3 * 20 + 2000);
    CHECK(headline_of_points(copied).find(
              "; before it, not in the time, copies of A or B take 2.06 µs at least; that is") != std::string::npos);
    Results failed = with_times(bench, {1, 1, 1, 1, 1, 1, 1, 1});
    for (Row& row : failed.rows) row.status = "skipped";
    derive_rows(bench, failed);
    CHECK(failed.rows.back().status == "skipped");
    CHECK(headline_of_points(failed) == "No total: a has no time.");
  }

  TEST_CASE("63.6 a row follows from neither name nor count") {
    MachineSpec machine;
    const Bench bench = of_text("m,name,count\n16,a,3\n16,b,1\n");
    const std::vector<LabelledPoint> points = expand_points(bench);
    const Json first = identity_of(bench, machine, points[0].point, {}).workload;
    CHECK(first == identity_of(bench, machine, points[4].point, {}).workload);
    CHECK(first.at("point") == Json::parse(R"({"m":16,"n":512,"bytes":1024,"variant":"fast"})"));
  }

  TEST_CASE("63.5 what is no point is refused with its line") {
    CHECK(refused("").find("expected a head of axes of bench product") != std::string::npos);
    CHECK(refused("name,count\na,1\n") ==
          "points.csv:1: expected columns that are axes of bench product, one of m, n, size, variant");
    CHECK(refused("m,q\n1,2\n").find("points.csv:1: bench product: unknown column 'q'") == 0);
    CHECK(refused("m,m\n1,2\n") == "points.csv:1: column m is there twice");
    CHECK(refused("m\n") == "points.csv: expected a line for each point, got a head alone");
    CHECK(refused("m,n\n1\n") == "points.csv:2: expected 2 cells, got 1");
    CHECK(refused("m\n1\n0\n") == "points.csv:3: m: expected a whole number from 1 to 1000000, got '0'");
    CHECK(refused("m,variant\n1,fats\n").find("points.csv:2: variant: unknown value 'fats': did you mean 'fast'") == 0);
    CHECK(refused("m,count\n1,0\n") == "points.csv:2: count: expected 1 to 10^9, got 0");
    CHECK(refused("m,count\n1,x\n").find("points.csv:2: count: ") == 0);
    CHECK(refused("m,name\n1,\n").find("points.csv:2: name: expected 1 to 100 bytes without control") == 0);
    CHECK(refused("m,name\n1,\"a\nb\"\n").find("points.csv:2: name: expected 1 to 100 bytes") == 0);
    CHECK(refused("m,name\n1," + std::string(101, 'x') + "\n").find("points.csv:2: name: ") == 0);
    CHECK(refused("m,name\n1,a\n2,a\n") ==
          "points.csv:3: a is in line 2, too: expected another name, or one line with a count");
    CHECK(refused("m\n1\n2\n1\n") ==
          "points.csv:4: 1 is in line 2, too: expected a column name, or one line with a count");
  }
}
