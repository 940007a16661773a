#include "benches/results/rows/row_from_multi_pe.hpp"

#include <algorithm>

#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/row_from_run.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/plan/known_bound.hpp"

namespace kernbench {
namespace {

/// None of a kernel that takes no time.
double part_of(Picoseconds part, Picoseconds whole) {
  return whole.value == 0 ? 0 : static_cast<double>(part.value) / static_cast<double>(whole.value);
}

}  // namespace

bool has_stages_of_pes(const Row& row) {
  return !row.stages.empty() && row.stages.front().stage == kStagesOfPe.front();
}

Row row_of_multi_pe(const MultiPeResult& run) {
  Row row;
  Picoseconds ends;
  Picoseconds array;
  Picoseconds longest;  // that an array is at work
  for (const PeReport& pe : run.pes) {
    ends += pe.end;
    array += pe.array;
    longest = std::max(longest, pe.array);
    // What a PE did in all, as stages of its own: they say which PE is late, and what it moved.
    row.stages.push_back({kStagesOfPe[0], pe.name, pe.end.ns(), pe.end.ns(), 1, 0, 0});
    row.stages.push_back({kStagesOfPe[1], pe.name, pe.array.ns(), pe.array.ns(), 1, 0, pe.macs});
    row.stages.push_back({kStagesOfPe[2], pe.name, 0, 0, 1, pe.read, 0});
    row.stages.push_back({kStagesOfPe[3], pe.name, 0, 0, 1, pe.sent, 0});
    row.stages.push_back({kStagesOfPe[4], pe.name, 0, 0, 1, pe.written, 0});
  }
  const auto count = static_cast<std::int64_t>(run.pes.size());
  row.metrics.set(kTime, run.time.ns());
  row.metrics.set(kMacUtilisation, part_of(array, count * run.time));
  row.metrics.set(kImbalance, ends.value == 0 ? 0 : part_of(count * run.time, ends) - 1);
  row.metrics.set(kWorkImbalance, array.value == 0 ? 0 : part_of(count * longest, array) - 1);
  row.metrics.set(kArrayIdle, (run.time - Picoseconds{array.value / count}).ns());
  row.metrics.set(kNetworkBytes, run.network_bytes);
  row.metrics.set(kPortBytes, run.port_bytes);
  row.metrics.set(kBusiestLink, run.busiest_link.name);
  row.metrics.set(kBusiestLinkUtilisation, part_of(run.busiest_link.time, run.time));
  if (const std::optional<BusiestController> busiest = busiest_of(run.controllers)) {
    row.metrics.set(kBusiestController, busiest->name);
    row.metrics.set(kBusiestControllerLoad, busiest->of_mean);
  }
  row.metrics.set(kHbmBursts, run.engine.bursts);
  row.metrics.set(kEngineWakeups, run.engine.wakeups);
  row.metrics.set(kPeCount, count);
  row.metrics.set(kPesSimulated, run.simulated);
  row.metrics.set(kTilesPassedOver, run.tiles_passed_over);
  add_ledgers(row, run.pes);
  return row;
}

Row row_of_multi_pe_gemm(const MultiPeResult& run, const GemmProblem& problem, const MachineSpec& machine) {
  Row row = row_of_multi_pe(run);
  row.metrics.set(kUsefulEfficiency, useful_efficiency(problem.macs(), machine.pe, run.time,
                                                       static_cast<int>(run.pes.size()), problem.dtype));
  row.metrics.set(kUsefulMacs, problem.macs());
  row.metrics.set(kTflops, 2.0 * static_cast<double>(problem.macs()) / static_cast<double>(run.time.value));
  add_energy(row, machine.energy, run.activity, run.time);
  return row;
}

void add_plan(const MultiPeGemmPlan& plan, const MachineSpec& machine, Row& row) {
  if (why_no_bound(machine).empty()) {
    row.metrics.set(kBoundTime, plan.bound.time.ns());
    row.metrics.set(kBoundBottleneck, plan.bound.resource);
  }
  row.metrics.set(kIdlePes, plan.idle);
  row.metrics.set(kReplicatedBytes, plan.replicated);
  row.metrics.set(kReplicatedTime, machine.die.router.link.time_for(plan.replicated).ns());
}

}  // namespace kernbench
