// Mappings chosen on a whole GPU as one PE, against its measured products.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace {

namespace fs = std::filesystem;

bool is_compared(const kernbench::Row& row) {
  const kernbench::Json& point = row.point;
  if (row.status != "ok" || point.at("dtype") != "bf16" || point.at("backend") != "cublaslt") return false;
  const double macs = point.at("m").get<double>() * point.at("k").get<double>() * point.at("n").get<double>();
  return point.at("l2") == "flushed" && macs <= std::exp2(37);
}

double chosen_time_ns(const fs::path& machine, const kernbench::Json& point) {
  const Workplace place;
  const Ended ended = place.run(
      kProgram, {"sim", "gemm", "--m", point.at("m").dump(), "--k", point.at("k").dump(), "--n", point.at("n").dump(),
                 "--map", "auto", "--topology", machine.string(), "--json", "result.json"});
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  return kernbench::read_results(place.path() / "result.json").rows.at(0).metrics.json().at("time_ns");
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.12 with chosen tiles an H200 as one PE is within 24 % of 133 measured products, on average") {
    const fs::path source = kernbench::source_dir();
    const fs::path machine = source / "../shared/data/machines/h200-as-one-pe.yaml";
    if (!fs::exists(machine)) {
      MESSAGE("skipped: there is no ../shared/data/machines/h200-as-one-pe.yaml beside the source tree");
      return;
    }
    double error = 0;
    int compared = 0;
    for (const kernbench::Row& row : kernbench::read_results(source / "benches/reference/nvidia-h200/gemm.json").rows) {
      if (!is_compared(row)) continue;
      error += std::abs(chosen_time_ns(machine, row.point) / row.metrics.json().at("time_ns").get<double>() - 1);
      ++compared;
    }
    CHECK(compared == 133);
    MESSAGE("mean absolute error " << 100 * error / compared << " %");
    CHECK(error / compared < 0.24);
  }
}
