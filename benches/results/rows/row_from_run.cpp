// Ratios are computed from integers here, once; figures and reports only read them.
#include "benches/results/rows/row_from_run.hpp"

#include <stdexcept>
#include <string>

#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/known_bound.hpp"

namespace kernbench {
namespace {

constexpr Metric<std::int64_t> kTileM{"tile_m"};
constexpr Metric<std::int64_t> kTileK{"tile_k"};
constexpr Metric<std::int64_t> kTileN{"tile_n"};

double ratio(Picoseconds part, Picoseconds whole) {
  return static_cast<double>(part.value) / static_cast<double>(whole.value);
}

/// Time in which the MAC array works: the union of the `mac` stage's intervals on it.
Picoseconds mac_busy(const RunResult& run) {
  Picoseconds busy;
  for (const StageTotals& stage : run.stages) {
    if (stage.stage == "mac") busy += stage.wall;
  }
  return busy;
}

template <class BoundOf>
Row bound_row(const GemmProblem& problem, const MachineSpec& machine, const BoundOf& bound_of) {
  Row row;
  row.reason = why_no_bound(machine);
  if (!row.reason.empty()) {
    row.status = "skipped";
    return row;
  }
  const GemmBound bound = bound_of();
  row.metrics.set(kTime, bound.pe.ns());
  row.metrics.set(kMacUtilisation, ratio(bound.mac_work(), bound.pe));
  row.metrics.set(kUsefulEfficiency, useful_efficiency(problem.macs(), machine.pe, bound.pe, 1, problem.dtype));
  row.metrics.set(kBottleneck, bound.bottleneck());
  row.windows["pe_ns"] = bound.pe.ns();
  row.windows["composite_ns"] = bound.composite.ns();
  if (problem.under_tile(machine.pe.mac.tile)) row.flags.emplace_back("under_tile");
  return row;
}

}  // namespace

double useful_efficiency(std::int64_t useful_macs, const PeSpec& pe, Picoseconds window, std::int64_t pes,
                         Dtype dtype) {
  const long double rate = static_cast<long double>(pe.mac.rates.of(dtype)) / static_cast<long double>(MacRates::kOne);
  const long double peak = rate * static_cast<long double>(pe.mac.peak_macs()) *
                           static_cast<long double>(pe.clock.hertz) * static_cast<long double>(pes) *
                           static_cast<long double>(window.value) / static_cast<long double>(kPicosecondsPerSecond);
  return static_cast<double>(static_cast<long double>(useful_macs) / peak);
}

std::vector<StageRow> stage_rows(const RunResult& run, const EnergySpec& energy) {
  std::vector<StageRow> rows;
  for (const StageTotals& stage : run.stages) {
    rows.push_back({stage.stage, stage.engine, stage.wall.ns(), stage.busy.ns(), stage.records, stage.bytes, stage.macs,
                    stage_energy(energy, stage.activity)});
  }
  return rows;
}

Row row_from_run(const RunResult& run, const MachineSpec& machine, const GemmProblem& problem) {
  const Picoseconds pe = run.pe.length();
  const Picoseconds composite = run.composite.length();
  if (pe.value <= 0 || composite.value <= 0) throw std::logic_error("a run with an empty window has no efficiency");
  Row row;
  row.metrics.set(kTime, pe.ns());
  row.metrics.set(kMacUtilisation, ratio(mac_busy(run), pe));
  row.metrics.set(kUsefulEfficiency, useful_efficiency(run.useful_macs, machine.pe, pe, 1, problem.dtype));
  row.metrics.set(kCompositeMacUtilisation, ratio(mac_busy(run), composite));
  row.metrics.set(kCompositeUsefulEfficiency,
                  useful_efficiency(run.useful_macs, machine.pe, composite, 1, problem.dtype));
  row.metrics.set(kTileCount, run.tiles);
  const TileShape& tile = machine.pe.mac.tile;
  row.metrics.set(kTileM, tile.m);
  row.metrics.set(kTileK, tile.k);
  row.metrics.set(kTileN, tile.n);
  row.metrics.set(kUsefulMacs, run.useful_macs);
  row.metrics.set(kTflops, 2.0 * static_cast<double>(run.useful_macs) / static_cast<double>(pe.value));
  row.metrics.set(kHbmRead, run.hbm_read);
  row.metrics.set(kHbmWritten, run.hbm_written);
  add_energy(row, machine.energy, run.activity, pe);
  row.windows["pe_ns"] = pe.ns();
  row.windows["composite_ns"] = composite.ns();
  add_ledger(row, run.ledger);
  row.stages = stage_rows(run, machine.energy);
  if (problem.under_tile(machine.pe.mac.tile)) row.flags.emplace_back("under_tile");
  return row;
}

Row row_from_bound(const GemmProblem& problem, Residency residency, const MachineSpec& machine) {
  return bound_row(problem, machine, [&] { return gemm_bound(problem, residency, machine); });
}

Row row_from_bound(const MappedGemm& mapped, const MachineSpec& machine) {
  return bound_row(mapped.problem(), machine, [&] { return gemm_bound(mapped, machine); });
}

}  // namespace kernbench
