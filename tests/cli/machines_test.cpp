// What docs/machines.md says of the machine files of topology/.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/machines_page.hpp"
#include "tests/cli/program.hpp"

namespace {

const std::string kTopology = kernbench::source_dir() + "/topology/";

kernbench::Json rows_from(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Workplace place;
  const Ended run = place.run(kProgram, arguments);
  REQUIRE_MESSAGE(run.exit_code == 0, run.err);
  return kernbench::Json::parse(run.out).at("rows");
}

bool page_has(const std::string& machine, const std::string& begin) {
  return std::ranges::any_of(machine_section(machine),
                             [&](const std::string& line) { return line.find(begin) != std::string::npos; });
}

/// From the composite's begin until its result is stored: what is left without the way to HBM.
double stored_after_ns(const kernbench::Json& row) {
  double after = row.at("windows").at("composite_ns");
  for (const auto& stage : row.at("stages")) {
    if (stage.at("stage") == "dma_out") after -= stage.at("wall_ns").get<double>();
  }
  return after;
}

}  // namespace

TEST_CASE("docs/machines.md: simulated times are those of its commands") {
  const auto rows = machine_rows(false);
  CHECK(rows.size() == 9);
  for (const auto& row : rows) check_machine_row(row);
}

TEST_CASE("docs/machines.md: transfers of the TPU v4 core are those of its command") {
  const std::string file = kTopology + "tpu_v4_core.yaml";
  const auto rows = rows_from({"probe", "--topology", file, "--sizes", "4KiB,256KiB,4MiB", "--only", "own-*"});
  std::size_t found = 0;
  for (const auto& line : machine_section("tpu_v4_core")) {
    const std::string size = cell_of(line, 0);
    if (!size.ends_with("KiB") && !size.ends_with("MiB")) continue;
    const double bytes = std::stod(size) * (size.ends_with("KiB") ? 1024 : 1024 * 1024);
    for (const auto& row : rows) {
      if (!row.at("point").contains("bytes") || row.at("point").at("bytes") != bytes) continue;
      const bool read = row.at("point").at("probe") == "own-hbm-read";
      const double time_ns = row.at("metrics").at("time_ns");
      CHECK(kernbench::one_decimal(time_ns) == cell_of(line, read ? 2 : 4));
      ++found;
    }
  }
  CHECK(found == 6);
}

TEST_CASE("docs/machines.md: cycles of small products in the TPU v4 core's array") {
  const std::string file = kTopology + "tpu_v4_core.yaml";
  for (const char* rows : {"16", "32", "256"}) {
    const auto run = rows_from(
        {"sim", "gemm", "--topology", file, "--m", rows, "--k", "512", "--n", "128", "--variant", "load_load"});
    const std::string cycles = kernbench::formatted("%.0f", stored_after_ns(run.at(0)) * 1.05);
    CAPTURE(cycles);
    CHECK(std::ranges::any_of(machine_section("tpu_v4_core"), [&](const std::string& line) {
      return (cell_of(line, 0) + " ").starts_with(std::string(rows) + " ") && cell_of(line, 2) == cycles;
    }));
  }
}

TEST_CASE("docs/machines.md: what an assumed key does, and a machine with one set of weights") {
  const auto time_us = [](const std::string& set) {
    const auto rows =
        rows_from({"sim", "gemm", "--topology", kTopology + "tpu_v4_core.yaml", "--m", "1024", "--k", "2048", "--n",
                   "2048", "--map", "block=1024x2048x256 order=nmk buffers=2 stream=none", "--set", set});
    return rows.at(0).at("metrics").at("time_ns").get<double>() / 1000;
  };
  CHECK(page_has("tpu_v4_core", kernbench::formatted("it would be %.1f µs", time_us("pe.mac.weight_buffers=1"))));
  const double base = time_us("pe.mac.operand_registers=2");
  CHECK(page_has("tpu_v4_core", kernbench::formatted("| `pe.mac.operand_registers` | 2 | %+.1f %% | 0 |",
                                                     100 * (time_us("pe.mac.operand_registers=1") / base - 1))));
  CHECK(page_has("tpu_v4_core", kernbench::formatted("| `pe.mac.accumulators` | 2 | %+.1f %% | 0 |",
                                                     100 * (time_us("pe.mac.accumulators=1") / base - 1))));
}
