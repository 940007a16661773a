#include "benches/gemm_micro/point.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/row_from_run.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/pe_set.hpp"
#include "benches/workloads/gemm/blocked_gemm.hpp"
#include "benches/workloads/gemm/variant_gemm.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/machine/array_cycles.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/system/run.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kElapsedS{"elapsed_s"};
constexpr Metric<std::int64_t> kIterationCount{"iterations"};
constexpr Metric<std::int64_t> kPartM{"part_m"};
constexpr Metric<std::int64_t> kPartN{"part_n"};
constexpr Metric<std::string> kPartsText{"parts"};
constexpr Metric<double> kPeakTflops{"peak_tflops"};

/// How a part is run on a PE.
using PartRun = std::function<RunResult(const GemmProblem& part)>;

GemmMapping cut_to(GemmMapping mapping, const GemmProblem& part) {
  TileShape& block = mapping.block;
  block = {std::min(block.m, part.m), std::min(block.k, part.k), std::min(block.n, part.n)};
  return mapping;
}

/// The mapping that suits the largest part best, or its staging variant; `told` is what it is.
PartRun choose_run(const MachineSpec& machine, const MicroPoint& asked, const GemmProblem& largest,
                   const PointSettings& settings, std::string& told) {
  RunSettings run;
  run.verify = settings.verify;
  if (is_staging_variant(asked.variant)) {
    told = asked.variant;
    return [=, &machine, variant = asked.variant](const GemmProblem& part) {
      return run_gemm(machine, part, variant, run);
    };
  }
  const Row chosen = simulate_blocked(machine, largest, {}, parse_mapping(asked.variant, "variant"));
  told = chosen.metrics.at(kMappingText);
  const GemmMapping mapping = complete_mapping(parse_mapping(told, "mapping"));
  return [=, &machine](const GemmProblem& part) { return run_gemm(machine, part, cut_to(mapping, part), run); };
}

/// What all PEs have done together.
struct Together {
  std::optional<RunResult> slowest;  ///< the first of equal ones
  Activity activity;
  Bytes read = 0;
  Bytes written = 0;
};

Together run_parts(const DividedGemm& divided, const PartRun& run) {
  Together all;
  for (const GemmPart& part : divided.parts) {
    renew_systemc();
    const RunResult result = run(part.problem);
    for (std::int64_t pe = 0; pe < part.count; ++pe) all.activity += result.activity;
    all.read += part.count * result.hbm_read;
    all.written += part.count * result.hbm_written;
    if (!all.slowest || result.pe.length() > all.slowest->pe.length()) all.slowest = result;
  }
  return all;
}

double peak_tflops(const MachineSpec& machine, const MicroPoint& asked) {
  const double rate = static_cast<double>(machine.pe.mac.rates.of(asked.problem.dtype)) / double{MacRates::kOne};
  return static_cast<double>(asked.pes) * machine.pe.peak_tflops() * rate;
}

/// Time and rates, of a run or of its bound.
Row rates_row(const MachineSpec& machine, const MicroPoint& asked, Picoseconds time) {
  Row row;
  row.metrics.set(kTime, time.ns());
  row.metrics.set(kTflops, 2.0 * static_cast<double>(asked.problem.macs()) / static_cast<double>(time.value));
  row.metrics.set(kPeakTflops, peak_tflops(machine, asked));
  row.metrics.set(kPeakFraction,
                  useful_efficiency(asked.problem.macs(), machine.pe, time, asked.pes, asked.problem.dtype));
  return row;
}

}  // namespace

MicroPoint::MicroPoint(const MachineSpec& machine, const Point& point)
    : pes(static_cast<std::int64_t>(parse_pes("over", point.at("over").get<std::string>(), machine).pes.size())),
      problem{.m = point.at("m"),
              .k = point.at("k"),
              .n = point.at("n"),
              .dtype = parse_dtype(point.at("dtype").get<std::string>(), "dtype")},
      variant(point.at("variant")) {
  check_operands(problem.dtype, problem.stored_b());
}

DividedGemm MicroPoint::divided(const MachineSpec& machine) const {
  return divide_gemm(problem, machine.pe.mac.tile, pes);
}

Row simulate_micro(const MachineSpec& machine, const MicroPoint& asked, const PointSettings& settings) {
  expect_rate(machine.pe.mac, asked.problem.dtype);
  const DividedGemm divided = asked.divided(machine);
  std::string mapping;
  const PartRun run = choose_run(machine, asked, divided.largest(), settings, mapping);
  const Together all = run_parts(divided, run);
  const Picoseconds time = all.slowest->pe.length();
  Row row = rates_row(machine, asked, time);
  row.metrics.set(kElapsedS, time.ns() * 1e-9);
  row.metrics.set(kIterationCount, 1);
  row.metrics.set(kDeviceName, machine.name);
  row.metrics.set(kPeCount, asked.pes);
  row.metrics.set(kIdlePes, asked.pes - divided.pes());
  row.metrics.set(kPartsText, std::to_string(divided.rows) + "x" + std::to_string(divided.columns));
  row.metrics.set(kPartM, divided.largest().m);
  row.metrics.set(kPartN, divided.largest().n);
  row.metrics.set(kMappingText, mapping);
  row.metrics.set(kHbmRead, all.read);
  row.metrics.set(kHbmWritten, all.written);
  add_energy(row, machine.energy, all.activity, time);
  row.windows["pe_ns"] = time.ns();
  add_ledger(row, all.slowest->ledger);
  if (settings.verify) row.flags.emplace_back("verified");
  return row;
}

Row micro_bound(const MachineSpec& machine, const MicroPoint& asked) {
  if (const std::string why = why_no_bound(machine); !why.empty()) {
    Row row;
    row.status = "skipped";
    row.reason = why;
    return row;
  }
  const DividedGemmBound bound = divided_gemm_bound(asked.divided(machine), machine);
  Row row = rates_row(machine, asked, bound.time);
  row.metrics.set(kBottleneck, bound.resource);
  return row;
}

}  // namespace kernbench
