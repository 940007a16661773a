// gemm-micro: what GEMMs of many shapes and dtypes reach on a whole machine, in TFLOPS and TFLOPS a watt
// (adr/0045-gemm-micro.md).
#include <functional>

#include "benches/gemm_micro/figures.hpp"
#include "benches/gemm_micro/point.hpp"
#include "benches/gemm_micro/shapes.hpp"
#include "benches/workloads/gemm/variant_gemm.hpp"
#include "benches/workloads/open_axis.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kSimulated = "simulated";  ///< backend: those of GPUs are in measured rows

Axis dtypes() {
  const auto read = [](const std::string& text) -> AxisValue {
    const std::string name(name_of(parse_dtype(text, "a dtype of operands")));
    return {name, Json(name)};
  };
  return {
      .name = "dtype", .values = {"fp32", "fp16", "bf16", "fp8_e4m3"}, .open = OpenAxis{.dimension = {}, .read = read}};
}

void check_backend(const std::string& text) {
  if (text != kSimulated) throw ConfigError("expected " + std::string(kSimulated) + ", got " + in_quotes(text));
}

/// A dtype that the array lacks, or a mapping that the part does not have, is a skipped row: others can be done.
Row or_skipped(const std::function<Row()>& work) {
  try {
    return work();
  } catch (const ConfigError& error) {
    Row row;
    row.status = "skipped";
    row.reason = error.what();
    return row;
  }
}

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  return or_skipped([&] { return simulate_micro(machine, {machine, point}, settings); });
}

Row theory(const MachineSpec& machine, const Point& point) {
  return or_skipped([&] { return micro_bound(machine, {machine, point}); });
}

MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const MicroPoint asked(machine, point);
  return gemm_memory(machine, asked.divided(machine).largest(), settings.verify);
}

/// In tiles of the machine's array, for each mapping that is simulated, and what is done before them.
double cost(const MachineSpec& machine, const Point& point) {
  constexpr double kSetUp = 1000;
  constexpr double kMappings = 12;
  const MicroPoint asked(machine, point);
  const TileShape& tile = machine.pe.mac.tile;
  const double run = kSetUp + static_cast<double>(asked.divided(machine).largest().macs()) /
                                  static_cast<double>(tile.m * tile.k * tile.n);
  return is_staging_variant(asked.variant) ? run : kMappings * run;
}

void check(const MachineSpec& machine, const Point& point) { static_cast<void>(MicroPoint(machine, point)); }

const bool registered = register_bench({
    .name = "gemm-micro",
    .summary = "GEMMs of many shapes and dtypes on a whole machine: TFLOPS, TFLOPS a watt, beside GPUs",
    .version = "4",
    .folder = "benches/gemm_micro",
    .axes = {micro_shapes(), dtypes(), text_axis("variant", kChosenMapping, check_variant),
             text_axis("over", "system", [](const std::string&) {}), text_axis("backend", kSimulated, check_backend)},
    .machine_file = "topology/milestone_1h_costed.yaml",
    .report = {{"time_ns", "time (ns)"},
               {"tflops", "TFLOPS"},
               {"peak_fraction", "of peak", true},
               {"avg_power_w", "W"},
               {"tflops_per_watt", "TFLOPS/W"}},
    .simulate = simulate,
    .memory = memory,
    .cost = cost,
    .theory = theory,
    .check = check,
    .figures = gemm_micro_figures,
    .headline = gemm_micro_headline,
    .measured_bench = "gpu-gemm",
    .figures_beside = gemm_micro_beside,
});

}  // namespace
}  // namespace kernbench
