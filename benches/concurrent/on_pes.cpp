// A GEMM over the PEs of a collective's ranks while that runs between them (adr/0030, 30.9).
#include <algorithm>
#include <array>
#include <numeric>

#include "benches/concurrent/pes_metrics.hpp"
#include "benches/concurrent/report.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/plan/network/buffer_room.hpp"
#include "sim/plan/network/slot_room.hpp"
#include "sim/system/concurrent.hpp"
#include "sim/system/multi_pe_choice.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kCollectiveBoundTime{"collective_bound_ns"};
constexpr Metric<double> kGemmBoundTime{"gemm_bound_ns"};

constexpr const char* kUsualKernel = "owner_computes";

ConcurrentOnPes place_on_pes(const MachineSpec& machine, const ConcurrentAsked& asked) {
  ConcurrentOnPes placed{asked, problem_of(asked.gemm), kUsualKernel, place_collective(machine, asked.collective)};
  check_multi_pe(placed.problem, machine.pe.mac);
  if (asked.gemm.variant == kChosenMapping) return placed;
  if (way_of(asked.gemm.variant).by_mapping()) {
    throw ConfigError("variant " + asked.gemm.variant +
                      ": expected a kernel: beside a collective a GEMM has no mapping");
  }
  placed.kernel = find_multi_pe_gemm_kernel(asked.gemm.variant).name;
  return placed;
}

std::string title_on_pes(const ConcurrentOnPes& placed) {
  const CollectiveCase& collective = placed.collective.what;
  const MachinePart& part = placed.collective.part;
  return "gemm " + problem_text(placed.problem) + " " + placed.kernel + " beside " +
         std::string(kCollectives[collective.collective]) + " " + collective.algorithm + " of " +
         format_quantity(collective.bytes, Dimension::kBytes) +
         (part.pes_of_rank > 1
              ? " between " + counted(part.grid.size(), "rank") + " of " + counted(part.pes_of_rank, "PE")
              : "") +
         " over " + counted(part.pes(), "PE") + " of " + placed.collective.machine;
}

struct Plan {
  CollectiveRails rails;
  ConcurrentRequest request;
  MultiPeGemmPlan gemm;
};

Plan plan_of(const ConcurrentOnPes& placed, const NetworkPlan& network) {
  const MachinePart& part = placed.collective.part;
  Plan plan{rails_of(placed.collective.what, part), {}, {}};
  MultiPeGemmRequest& gemm = plan.request.gemm;
  gemm.problem = placed.problem;
  gemm.kernel = placed.kernel;
  gemm.tcm = tcm_beside(part.machine, plan.rails);
  gemm.pes.resize(static_cast<std::size_t>(part.pes()));
  std::iota(gemm.pes.begin(), gemm.pes.end(), 0);
  const std::string& asked = placed.asked.gemm.placement;
  plan.gemm = choose_placement(part.machine, network, gemm, asked == kLeastBound ? "" : asked);
  gemm.placement = plan.gemm.placement;
  plan.request.gemm_tcm = plan.gemm.tcm;
  return plan;
}

/// But for the matrices' values, which a plan places.
MemoryEstimate memory_of_values(const ConcurrentOnPes& placed, Bytes bytes_of_pe, bool verify) {
  const MachinePart& part = placed.collective.part;
  MemoryEstimate memory = memory_of(placed.collective.what, part, verify);
  memory.add(multi_pe_gemm_memory(part.machine, placed.problem, part.pes(), bytes_of_pe, verify));
  return memory;
}

MemoryEstimate memory_on_pes(const ConcurrentOnPes& placed, bool verify) { return memory_of_values(placed, 0, verify); }

Planned plan_on_pes(const std::vector<ConcurrentOnPes>& all, const Planning& planning) {
  Planned planned;
  for (const ConcurrentOnPes& placed : all) {
    std::string why;
    MemoryEstimate memory;
    try {
      const MachineSpec& machine = placed.collective.part.machine;
      const NetworkPlan network = plan_network(machine);
      planned.warnings = buffer_warnings(machine);
      planned.notes = slot_notes(network, machine);
      memory = memory_of_values(placed, plan_of(placed, network).gemm.bytes_of_pe, planning.verify);
    } catch (const ConfigError& error) {
      if (!planning.choice) throw;
      why = error.what();
    }
    planned.skipped.push_back(why);
    planned.memory.push_back(std::move(memory));
  }
  return planned;
}

/// The link that both use most, ports included, by the one that uses it less.
void add_shared_link(const ConcurrentResult& gemm, const ConcurrentResult& collective, Row& row) {
  std::size_t most = 0;
  const auto both = [&](std::size_t i) { return std::min(gemm.links[i].time, collective.links[i].time); };
  for (std::size_t i = 1; i < gemm.links.size(); ++i) {
    if (both(i) > both(most)) most = i;
  }
  if (gemm.links.empty() || both(most).value == 0) return;
  row.metrics.set(kSharedLink, gemm.links[most].name);
  row.metrics.set(kSharedLinkOfGemm, gemm.links[most].time.ns());
  row.metrics.set(kSharedLinkOfCollective, collective.links[most].time.ns());
}

void add_busiest_link(const std::string& whose, const ConcurrentResult& run, Row& row) {
  const NetworkLinkWork link = busiest(run.links);
  row.metrics.set(prefixed(whose + "_", kBusiestLink), link.name);
  row.metrics.set(prefixed(whose + "_", kBusiestLinkTime), link.time.ns());
}

/// Both take at least what each takes alone.
void add_bounds(const Plan& plan, const ConcurrentOnPes& placed, Row& row) {
  const MachineSpec& machine = placed.collective.part.machine;
  add_plan(plan.gemm, machine, row);
  row.metrics.set(kChosenPlacement, to_text(plan.gemm.placement));
  if (!why_no_bound(machine).empty()) return;
  const CollectiveBound bound = bound_of(placed.collective.what, placed.collective.part);
  row.metrics.set(kGemmBoundTime, row.metrics.at(kBoundTime));
  row.metrics.set(kGemmBoundBottleneck, row.metrics.at(kBoundBottleneck));
  row.metrics.set(kCollectiveBoundTime, bound.time.ns());
  if (bound.time.ns() < row.metrics.value_or(kBoundTime, 0.0)) return;
  row.metrics.set(kBoundTime, bound.time.ns());
  row.metrics.set(kBoundBottleneck, bound.resource);
}

double times_longer(Picoseconds together, Picoseconds alone) {
  return alone.value > 0 ? static_cast<double>(together.value) / static_cast<double>(alone.value) : 1;
}

Row run_on_pes(const ConcurrentOnPes& placed, const RunSettings& settings) {
  const MachineSpec& machine = placed.collective.part.machine;
  const Plan plan = plan_of(placed, plan_network(machine));
  const auto run = [&](ConcurrentRun which) {
    RunSettings how = settings;
    if (which != ConcurrentRun::kBoth) how.sink = nullptr;  // a trace is of both together
    renew_systemc();
    return run_concurrent(machine, plan.request, plan.rails, which, how);
  };
  const ConcurrentResult gemm = run(ConcurrentRun::kGemm);
  const ConcurrentResult collective = run(ConcurrentRun::kCollective);
  const ConcurrentResult both = run(ConcurrentRun::kBoth);
  renew_systemc();  // for who simulates next
  const Picoseconds time = std::max(both.gemm, both.collective);
  Row row;
  row.metrics = {{kTime, time.ns()},
                 {kGemmAlone, gemm.gemm.ns()},
                 {kGemmTogether, both.gemm.ns()},
                 {kGemmSlowdown, times_longer(both.gemm, gemm.gemm)},
                 {kCollectiveAlone, collective.collective.ns()},
                 {kCollectiveTogether, both.collective.ns()},
                 {kCollectiveSlowdown, times_longer(both.collective, collective.collective)},
                 {kBothBuffersInHbm, both.in_hbm},
                 {kPeCount, placed.collective.part.pes()},
                 {kEngineWakeups, both.engine.wakeups}};
  // The ledger is of the GEMM: what is left of the time is the collective's alone.
  if (both.collective > both.gemm) row.metrics.set(kCollectiveAfter, (both.collective - both.gemm).ns());
  for (std::size_t i = 0; i < both.units.size(); ++i) {
    const std::array<const ConcurrentResult*, kConcurrentRuns.size()> runs{&gemm, &collective, &both};
    for (std::size_t which = 0; which < runs.size(); ++which) {
      const UnitWork& unit = runs[which]->units.at(i);
      row.stages.push_back({unit.unit, kConcurrentRuns[which], unit.work.ns(), unit.work.ns(), 1, 0, 0});
    }
  }
  add_busiest_link("gemm", gemm, row);
  add_busiest_link("collective", collective, row);
  add_busiest_link("both", both, row);
  add_shared_link(gemm, collective, row);
  add_ledgers(row, both.gemm_pes);
  Row alone;
  alone.metrics.set(kTime, gemm.gemm.ns());
  add_ledgers(alone, gemm.gemm_pes);
  for (const CauseSpread& cause : ledger_spread_of(alone)) {
    row.metrics.set(alone_metric(cause.cause), cause.mean_ns);
  }
  add_bounds(plan, placed, row);
  return row;
}

Row bound_on_pes(const ConcurrentOnPes& placed) {
  const MachineSpec& machine = placed.collective.part.machine;
  Row row;
  if (const std::string why = why_no_bound(machine); !why.empty()) {
    row.status = "skipped";
    row.reason = why;
    return row;
  }
  Row of_both;
  add_bounds(plan_of(placed, plan_network(machine)), placed, of_both);
  row.metrics.set(kTime, of_both.metrics.at(kBoundTime));
  row.metrics.set(kBottleneck, of_both.metrics.at(kBoundBottleneck));
  return row;
}

void set_up_on_pes(const ConcurrentOnPes& placed) {
  const MachineSpec& machine = placed.collective.part.machine;
  const Plan plan = plan_of(placed, plan_network(machine));
  only_set_up([&](const RunSettings& settings) {
    static_cast<void>(run_concurrent(machine, plan.request, plan.rails, ConcurrentRun::kBoth, settings));
  });
}

double cost_on_pes(const ConcurrentOnPes& placed) {
  constexpr double kSetUpOfPe = 50;
  const TileShape& tile = placed.collective.part.machine.pe.mac.tile;
  return kSetUpOfPe * static_cast<double>(placed.collective.part.pes()) +
         static_cast<double>(placed.problem.macs()) / static_cast<double>(tile.m * tile.k * tile.n);
}

}  // namespace

WorkloadAnswers concurrent_on_pes(const Axes<ConcurrentAsked>& axes) {
  const Answers<ConcurrentAsked, ConcurrentOnPes> answers{
      .columns = {{"time_ns", "both (ns)"},
                  {"gemm_alone_ns", "gemm alone (ns)"},
                  {"gemm_slowdown", "gemm of alone", true},
                  {"collective_alone_ns", "collective alone (ns)"},
                  {"collective_slowdown", "collective of alone", true},
                  {"buffers_in_hbm", "buffers in HBM"}},
      .multi_pe = true,
      .smaller = "a smaller problem, fewer ranks",
      .plan = plan_on_pes,
      .place = place_on_pes,
      .title = title_on_pes,
      .run = run_on_pes,
      .memory = memory_on_pes,
      .cost = cost_on_pes,
      .bound = bound_on_pes,
      .set_up = set_up_on_pes,
      .report = report_concurrent};
  return answers.of(axes);
}

}  // namespace kernbench
