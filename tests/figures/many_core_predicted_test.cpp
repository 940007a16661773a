// many-core-predicted: the published products that it holds, and how errors are counted.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/many_core_predicted/errors.hpp"
#include "benches/many_core_predicted/published_products.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "tests/figures/published_table.hpp"
#include "tests/figures/sample_results.hpp"

using namespace kernbench;
using sample::Cells;
using sample::published_table;
using sample::table;

namespace {

/// Invented: of `measured_ns`, a utilisation of 0.5 simulated as `simulated`.
Row invented(const std::string& way, const std::string& operands, double measured_ns, double simulated,
             const std::string& dtype = "bf16") {
  Row row;
  row.point = {{"way", way},          {"m", 64}, {"k", 64}, {"n", 64}, {"dtype", dtype}, {"fidelity", "HiFi2"},
               {"operands", operands}};
  row.metrics.set(kTime, measured_ns * 0.5 / simulated);
  row.metrics.set(kMeasuredTime, measured_ns);
  row.metrics.set(kUsefulEfficiency, simulated);
  row.metrics.set(kMeasuredEfficiency, 0.5);
  row.metrics.set(kError, simulated / 0.5 - 1);
  return row;
}

}  // namespace

TEST_CASE("many-core-predicted: its products are the published ones, and all of their kind that are not too large") {
  const std::vector<Cells> published = published_table("tenstorrent-gemm.csv");
  if (published.empty()) return;
  const std::map<std::string, std::pair<std::string, std::string>> kinds{{"Wormhole n150", {"N150", "8x8"}},
                                                                         {"Blackhole p150", {"P150", "13x10"}}};
  const std::map<std::string, std::string> names{{"BFLOAT16", "bf16"}, {"BFLOAT8_B", "bfp8"}, {"BFLOAT4_B", "bfp4"}};
  for (const ManyCoreChip& chip : many_core_chips()) {
    std::vector<Cells> wanted = published;
    std::erase_if(wanted, [kind = kinds.at(chip.name)](const Cells& row) {
      return row.at("chip") != kind.first || row.at("grid") != kind.second || row.at("trace") != "true" ||
             std::stoi(row.at("m")) >= 10240;
    });
    const std::vector<Cells> held = table(sample::kSource + "/" + chip.products);
    REQUIRE(held.size() == wanted.size());
    CHECK(held.size() == published_products(chip).size());
    for (std::size_t i = 0; i < held.size(); ++i) {
      for (const char* column : {"tuned", "m", "k", "n", "in0", "out", "fidelity", "time_ns", "device_utilisation"}) {
        CHECK(held[i].at(column) == wanted[i].at(column));
      }
      CHECK(held[i].at("dtype") == names.at(wanted[i].at("dtype")));
    }
  }
}

TEST_CASE("many-core-predicted: a product is found by its point, each by one of its own") {
  for (const ManyCoreChip& chip : many_core_chips()) {
    const std::vector<PublishedProduct> products = published_products(chip);
    for (const PublishedProduct& product : products) {
      CHECK(product_of(products, product.point) == &product);
      CHECK(product.utilisation > 0);
      CHECK(product.utilisation < 1);
    }
    CHECK(product_of(products, {{"m", 1}}) == nullptr);
  }
}

TEST_CASE("many-core-predicted: errors are of the utilisation, those of short products apart") {
  Results results;
  results.rows = {invented("tuned", "in DRAM", 2e5, 0.4), invented("tuned", "A and C in L1", 100e3, 0.55),
                  invented("tuned", "in DRAM", 99e3, 0.1), invented("out of the box", "in DRAM", 3e5, 0.25)};
  std::map<std::string, double> means;
  for (const Row& row : many_core_error_rows(results)) {
    if (row.point.at("derived") == "error") means[row.point.at("of")] = row.metrics.at(kMeanError);
  }
  CHECK(means.size() == 6);
  CHECK(means.at("tuned") == doctest::Approx(0.15));
  CHECK(means.at("out of the box") == doctest::Approx(0.5));
  CHECK(means.at("tuned, in DRAM") == doctest::Approx(0.2));
  CHECK(means.at("tuned, A and C in L1") == doctest::Approx(0.1));
  CHECK(means.at("tuned, bf16 HiFi2") == doctest::Approx(0.15));
  CHECK(means.at("shorter than 100 us") == doctest::Approx(0.8));
}

TEST_CASE("many-core-predicted: formats come in the measured order where the faster of two is the faster one") {
  Results results;  // bfp8 takes less than bf16, simulated too in one of two ways; an order of two ways is none
  results.rows = {invented("tuned", "in DRAM", 2e5, 0.5), invented("tuned", "in DRAM", 1.9e5, 0.5, "bfp8"),
                  invented("out of the box", "in DRAM", 2e5, 0.5),
                  invented("out of the box", "in DRAM", 1.9e5, 0.4, "bfp8")};
  const Row order = many_core_error_rows(results).back();
  CHECK(order.point == Json{{"derived", "order"}, {"of", "formats"}});
  CHECK(order.metrics.at(kRowCount) == 2);
  CHECK(order.metrics.at(kRightShare) == 0.5);
}

TEST_CASE("many-core-predicted: committed errors follow from the committed rows, and the page has them") {
  for (const ManyCoreChip& chip : many_core_chips()) {
    Results committed = read_results(sample::kSource + "/" + chip.folder + "/results/results.json");
    std::vector<Row> told;
    for (const Row& row : committed.rows) {
      if (row.point.contains("derived")) told.push_back(row);
    }
    std::erase_if(committed.rows, [](const Row& row) { return row.point.contains("derived"); });
    CHECK(committed.rows.size() == published_products(chip).size());
    const std::vector<Row> derived = many_core_error_rows(committed);
    REQUIRE(derived.size() == told.size());
    const std::string page = read_file(sample::kSource + "/docs/many-core-predicted.md");
    for (std::size_t i = 0; i < derived.size(); ++i) {
      CHECK(derived[i].metrics.json() == told[i].metrics.json());
      if (derived[i].point.at("derived") != "error") continue;
      const std::string line = "| " + chip.name + " | " + derived[i].point.at("of").get<std::string>() + " | " +
                               std::to_string(derived[i].metrics.at(kRowCount)) + " | " +
                               percent(derived[i].metrics.at(kMeanError)) + " | ";
      CHECK_MESSAGE(page.find(line) != std::string::npos, line);
    }
  }
}

TEST_CASE("many-core-predicted: HiFi4 is refused on an array of which half is none") {
  const Bench& bench = find_bench("many-core-predicted");
  MachineSpec machine = load_machine(sample::kSource + "/topology/wormhole_n150.yaml").spec;
  machine.pe.mac.macs_per_cycle = 1;
  const std::vector<PublishedProduct> products = published_products(many_core_chips().front());
  const auto product = std::ranges::find(
      products, "HiFi4", [](const PublishedProduct& one) { return one.point.at("fidelity").get<std::string>(); });
  CHECK_THROWS_WITH_AS(
      bench.check(machine, product->point),
      "HiFi4 takes 4 passes of the array, and pe.mac.macs_per_cycle is of HiFi2's 2: expected an even number, got 1",
      ConfigError);
}
