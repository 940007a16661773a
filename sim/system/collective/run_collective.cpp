#include "sim/system/collective/run_collective.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/collective/one_for_all.hpp"
#include "sim/system/collective/rail_launches.hpp"
#include "sim/system/system.hpp"

namespace kernbench {

namespace {

Picoseconds launch_time(System& system) {
  const std::int32_t host = system.plan().find(NodeKind::kHost, {0, -1, -1});
  Picoseconds farthest{};
  for (std::int32_t pe = 0; pe < system.pes(); ++pe) {
    farthest = std::max(farthest, system.network().latency(host, system.pe_node(pe)));
  }
  return system.machine().system.io_processor + farthest;
}

void count_steps(const CollectiveSchedule& schedule, CollectiveResult& result) {
  for (const auto& threads : schedule.ranks) {
    std::int64_t steps = 0;
    for (const CollectiveThread& thread : threads) {
      steps += static_cast<std::int64_t>(thread.size());
      for (const CollectiveStep& step : thread) {
        if (step.kind != StepKind::kSend) continue;
        const Bytes bytes = checked_multiply(step.count, kElementBytes, "a message", kInBytes);
        result.sent = checked_add(result.sent, bytes, "bytes sent by the ranks", kInBytes);
      }
    }
    result.steps = std::max(result.steps, steps);
  }
}

/// Of links of package 0, which stand for those of the others (62.4).
void repeat_in_all_packages(const NetworkPlan& plan, std::vector<LinkTotals>& totals) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> of_first;  // by the nodes at its ends
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const auto [from, to] = plan.seen_from_first_package({plan.links[i].from, plan.links[i].to});
    totals[i] = totals[of_first.try_emplace({from, to}, i).first->second];
  }
}

void count_traffic(const System& system, const Network& network, CollectiveResult& result) {
  std::vector<LinkTotals> totals = network.totals();
  if (system.one_package()) repeat_in_all_packages(system.plan(), totals);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    result.links.push_back({system.plan().links[i].name, totals[i]});
    result.link_bytes = checked_add(result.link_bytes, totals[i].bytes, "bytes on all links", kInBytes);
    result.packet_hops += totals[i].packets;
  }
}

Activity activity_of_all(const System& system) {
  Activity all;
  for (std::int32_t pes = 0; pes < system.pes(); pes += system.pes_simulated()) all += system.activity();
  return all;
}

bool packages_alike(const MachineSpec& machine, const CollectiveRails& rails, const CollectiveSettings& settings) {
  return settings.fast_forward && settings.sink == nullptr && settings.values == CollectiveValues::kNone &&
         rails.size() == 1 && one_package_stands_for_all(machine, *rails.front());
}

}  // namespace

CollectiveResult run_collective(const MachineSpec& machine, const CollectiveRails& rails,
                                const CollectiveSettings& settings) {
  System system(machine, {.sink = settings.sink,
                          .values = settings.values != CollectiveValues::kNone,
                          .one_package = packages_alike(machine, rails, settings)});
  const RailLaunches collective(rails, {.values = settings.values, .seed = settings.seed});
  run_launches(system, collective.launches(), settings.limit);
  CollectiveResult result;
  result.largest_error = collective.check();
  result.launch = launch_time(system);
  result.time = collective.end();
  result.phase_ends = collective.phase_ends();
  result.in_hbm = collective.in_hbm();
  result.wakeups = system.calendar().wakeups();
  result.pes_simulated = system.pes_simulated();
  result.activity = activity_of_all(system);
  for (const auto& schedule : rails) {
    count_steps(*schedule, result);
    result.activity.pes += schedule->size();
  }
  count_traffic(system, system.network(), result);
  return result;
}

CollectiveResult run_collective(const MachineSpec& machine, const CollectiveSchedule& schedule,
                                const CollectiveSettings& settings) {
  // Not its owner: the schedule outlives the run.
  return run_collective(machine, CollectiveRails{{std::shared_ptr<const void>(), &schedule}}, settings);
}

}  // namespace kernbench
