// The points of a bench as one workload.
#include "benches/experiments/whatif/what_if_bench.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/limit.hpp"

using namespace kernbench;

namespace {

Row row_of(double time, const std::string& limit = "", double hbm = 0) {
  Row row;
  row.metrics.json()["time_ns"] = time;
  if (limit.empty()) return row;
  row.metrics.json()["limited_by"] = limit;
  row.metrics.json()["limited_by_share"] = hbm / time;
  row.metrics.json()[ledger_metric(Cause::kHbm).name] = hbm;
  row.metrics.json()[ledger_metric(Cause::kMac).name] = time - hbm;
  return row;
}

Row skipped() {
  Row row;
  row.status = "skipped";
  row.reason = "too small";
  return row;
}

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.7 the time is the geometric mean of the points that run on the first machine") {
    const std::vector<Row> base{row_of(1), skipped(), row_of(3)};
    const Row mean = mean_row({row_of(10), row_of(77), row_of(1000)}, base);
    CHECK(mean.status == "ok");
    CHECK(mean.metrics.json().at("time_ns").get<double>() == doctest::Approx(100));
    CHECK(mean.metrics.json().at("points") == 2);
    CHECK_FALSE(mean.metrics.json().contains("limited_by"));
    const Row none = mean_row({row_of(10), row_of(77), skipped()}, base);
    CHECK(none.status == "skipped");
    CHECK(none.reason == "too small");
    CHECK(mean_row({skipped()}, {skipped()}).reason == "no point runs on this machine: too small");
  }

  TEST_CASE("35.7 the ledger is the mean of shares, the limit what most points name") {
    const std::vector<Row> rows{row_of(10, "hbm", 8), row_of(1000, "mac", 100), row_of(100, "hbm", 60)};
    const Row mean = mean_row(rows, rows);
    const auto metric = [&](const std::string& name) { return mean.metrics.json().at(name).get<double>(); };
    CHECK(metric("time_ns") == doctest::Approx(100));
    CHECK(metric(ledger_metric(Cause::kHbm).name) == doctest::Approx(100 * (0.8 + 0.1 + 0.6) / 3));
    CHECK(metric(ledger_metric(Cause::kMac).name) == doctest::Approx(100 * (0.2 + 0.9 + 0.4) / 3));
    CHECK(mean.metrics.json().at("limited_by") == "hbm");
    CHECK(metric("limited_by_share") == doctest::Approx(0.7));
    const std::vector<Row> tie{row_of(10, "hbm", 8), row_of(10, "mac", 1)};
    CHECK(mean_row(tie, tie).metrics.json().at("limited_by") == "mac");
    CHECK_FALSE(mean_row({row_of(10, "hbm", 8), row_of(10)}, tie).metrics.json().contains("limited_by"));
  }
}

TEST_SUITE("ADR-0038") {
  TEST_CASE("38.2 of several points: mean, least and most of each number that all have") {
    Row first = row_of(10);
    first.metrics.json()["mac_util"] = 0.4;
    first.metrics.json()["word"] = "a";
    first.metrics.json()["dtype"] = "bf16";
    first.metrics.json()["alone"] = 1;
    Row second = row_of(1000);
    second.metrics.json()["mac_util"] = 0.8;
    second.metrics.json()["word"] = "b";
    second.metrics.json()["dtype"] = "bf16";
    const Row summary = summary_row({first, second});
    const auto metric = [&](const std::string& name) { return summary.metrics.json().at(name).get<double>(); };
    CHECK(metric("time_ns") == doctest::Approx(100));
    CHECK(metric("time_ns.min") == 10);
    CHECK(metric("time_ns.max") == 1000);
    CHECK(metric("mac_util") == doctest::Approx(0.6));
    CHECK(metric("mac_util.min") == 0.4);
    CHECK(metric("mac_util.max") == 0.8);
    CHECK(summary.metrics.json().at("dtype") == "bf16");
    CHECK_FALSE(summary.metrics.json().contains("word"));
    CHECK_FALSE(summary.metrics.json().contains("alone"));
    const Row ledgers = summary_row({row_of(10, "hbm", 8), row_of(1000, "mac", 100)});
    CHECK(ledgers.metrics.json().at(ledger_metric(Cause::kHbm).name) == 54);
    CHECK(summary_row({row_of(1139.12)}).metrics.json().at("time_ns") == 1139.12);
    const Row none = summary_row({first, skipped()});
    CHECK(none.status == "skipped");
    CHECK(none.reason == "too small");
  }

  TEST_CASE("38.2 points that are limited by different causes come to the limit of most of them, and its share") {
    const std::vector<Row> rows{row_of(10, "hbm", 8), row_of(1000, "mac", 100), row_of(100, "hbm", 60)};
    const Row summary = summary_row(rows);
    CHECK(summary.metrics.json().at("limited_by") == "hbm");
    CHECK(summary.metrics.json().at("limited_by_share").get<double>() == doctest::Approx(0.7));
    REQUIRE(limit_of(summary).has_value());
    CHECK(cause_name(limit_of(summary)->cause) == "HBM bandwidth");
    CHECK(summary_row({rows[0], rows[1]}).metrics.json().at("limited_by") == "mac");
    CHECK_FALSE(limit_of(summary_row({row_of(10, "hbm", 8), row_of(10)})).has_value());
  }
}
