#include "sim/system/independent.hpp"

#include <algorithm>
#include <map>

#include "sim/base/checked.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

namespace {

/// Ends with how many other ranks the error is of, too.
[[noreturn]] void rethrow_of_all(const TimeLimitError& error, const IndependentKernel& kernel, std::int32_t rank) {
  const auto others = std::ranges::count(kernel.alike, rank) - 1;
  const std::string text = error.what();
  if (others == 0) throw TimeLimitError(text);
  throw TimeLimitError(text + (text.ends_with('\n') ? "" : "\n") + "so " + (others == 1 ? "does " : "do ") +
                       std::to_string(others) + " other PE" + (others == 1 ? "" : "s") + ", with the same work");
}

/// What one rank by itself has done, on a machine that has nobody else.
MultiPeResult run_alone(const MachineSpec& machine, const IndependentKernel& kernel, std::int32_t rank,
                        const std::string& name, const RunSettings& settings) {
  const LonePe lone = lone_pe_of(machine);
  System system(lone.machine,
                {.extent = lone.extent, .ledger = true, .counted_on = kernel.counted_on, .lone_name = name});
  KernelLaunch launch(kernel.name, kernel.program, std::vector<std::int32_t>(kernel.pes.size(), 0));
  launch.run_only(rank);
  try {
    run_launches(system, {&launch}, settings.limit);
  } catch (const TimeLimitError& error) {
    rethrow_of_all(error, kernel, rank);
  }
  MultiPeResult result;
  result.time = launch.end();
  result.pes = reports_of(system, std::vector<std::int32_t>{0});
  result.pes[0].end = result.time;
  result.pes[0].ledger = system.pe(0).ledger().close(result.time - system.calendar().passed_over());
  add_traffic(system, result);
  result.engine = {system.calendar().wakeups(), system.bursts({0})};
  result.tiles_passed_over = system.pe(0).tiles_passed_over();
  return result;
}

}  // namespace

bool may_run_independently(const RunSettings& settings) {
  return settings.sink == nullptr && !settings.verify && settings.fast_forward && !settings.extent;
}

MultiPeResult run_independent(const MachineSpec& machine, const IndependentKernel& kernel,
                              const RunSettings& settings) {
  const NetworkPlan plan = plan_network(machine);
  const auto name_of = [&](std::int32_t rank) {
    const std::int32_t pe = kernel.pes[static_cast<std::size_t>(rank)];
    return plan.node(plan.find(NodeKind::kPe, plan.location_of(pe))).name;
  };
  std::map<std::int32_t, MultiPeResult> of_rank;
  for (const std::int32_t rank : kernel.alike) {
    if (of_rank.contains(rank)) continue;
    if (!of_rank.empty()) renew_systemc();
    of_rank.emplace(rank, run_alone(machine, kernel, rank, name_of(rank), settings));
  }
  MultiPeResult result;
  result.simulated = static_cast<std::int64_t>(of_rank.size());
  for (const auto& [rank, one] : of_rank) result.engine.wakeups += one.engine.wakeups;
  for (std::size_t rank = 0; rank < kernel.pes.size(); ++rank) {
    const MultiPeResult& one = of_rank.at(kernel.alike[rank]);
    result.time = std::max(result.time, one.time);
    result.pes.push_back(one.pes[0]);
    result.pes.back().name = name_of(static_cast<std::int32_t>(rank));
    result.port_bytes = checked_add(result.port_bytes, one.port_bytes, "bytes on all links", kInBytes);
    result.activity += one.activity;
    result.engine.bursts += one.engine.bursts;
    result.tiles_passed_over += one.tiles_passed_over;
  }
  result.activity.pes = static_cast<std::int64_t>(kernel.pes.size());
  return result;
}

}  // namespace kernbench
