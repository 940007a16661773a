// Where the time of a run went, as a figure.
#include "benches/results/figures/waterfall.hpp"

#include <doctest/doctest.h>

#include <map>

#include "benches/results/rows/cause_words.hpp"

using namespace kernbench;

namespace {

Row row_of(const std::string& variant, double mac, double hbm) {
  Row row;
  row.point = {{"m", 32}, {"variant", variant}};
  row.metrics.json()[ledger_metric(Cause::kMac).name] = mac;
  row.metrics.json()[ledger_metric(Cause::kHbm).name] = hbm;
  row.windows["pe_ns"] = mac + hbm;
  return row;
}

Json data_of(const Figure& figure) { return figure.spec.at("data").at("values"); }

}  // namespace

TEST_SUITE("ADR-0033") {
  TEST_CASE("33.1 a waterfall's causes follow each other from the beginning of the window to its end") {
    Results results;
    results.rows = {row_of("ref_ref", 30, 70), row_of("load_ref", 30, 10), row_of("load_load", 30, 0)};
    const Figure figure = waterfall_figure(results, "gemm 32x64x32");
    std::map<std::string, double> ends;
    for (const Json& record : data_of(figure)) {
      CHECK(record.at("from").get<double>() == ends[record.at("panel")]);
      ends[record.at("panel")] = record.at("to").get<double>();
      CHECK(record.at("to").get<double>() - record.at("from").get<double>() == record.at("ns").get<double>());
    }
    CHECK(ends ==
          std::map<std::string, double>{{"variant load_load", 30}, {"variant load_ref", 40}, {"variant ref_ref", 100}});
    CHECK(figure.spec.at("facet").at("sort") == Json{"variant ref_ref", "variant load_ref", "variant load_load"});
    CHECK(data_of(figure).at(1).at("cause") == "HBM bandwidth");
    CHECK(data_of(figure).at(1).at("share") == "70.0 %");
    CHECK(data_of(figure).size() == 5);  // a cause without time has no bar
  }

  TEST_CASE("33.1 a run without a ledger has no waterfall, one alone has no heading") {
    Results results;
    results.rows = {Row{}};
    CHECK_FALSE(has_waterfall(results));
    results.rows = {row_of("ref_ref", 30, 70)};
    CHECK(has_waterfall(results));
    CHECK(data_of(waterfall_figure(results, "gemm")).at(0).at("panel") == "");
  }
}
