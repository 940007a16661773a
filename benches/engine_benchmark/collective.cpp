// What simulated collectives cost: wake-ups for each packet and link, packets and links per CPU second beside the bare
// event rate, CPU seconds.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "benches/engine_benchmark/measured_child.hpp"
#include "benches/engine_benchmark/wakeups.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/system/collective/run_collective.hpp"

namespace kernbench {
namespace {

struct Scale {
  RankGrid grid;
  Bytes bytes = 0;
  std::string packet;
  std::string slot;
};

/// all_reduce with `algorithm`. Time: CPU seconds of the child, elaboration included.
void collective(benchmark::State& state, const std::string& algorithm, const Scale& scale) {
  std::vector<std::string> keys = {"simulation.packet_bytes=" + scale.packet,
                                   "pe.message_queue.slot_bytes=" + scale.slot, "pe.dma.outstanding_bursts=1024"};
  for (const auto& [key, shape] :
       {std::pair{"system.packages", scale.grid.packages}, std::pair{"package.dies", scale.grid.dies},
        std::pair{"die.routers", scale.grid.pes}}) {
    keys.push_back(std::string(key) + ".rows=" + std::to_string(shape.rows));
    keys.push_back(std::string(key) + ".columns=" + std::to_string(shape.columns));
  }
  const MachineSpec machine = load_machine(kernbench::source_dir() + "/topology/milestone_1h.yaml", keys).spec;
  CollectiveRequest request;
  request.count = scale.bytes / kElementBytes;
  request.grid = scale.grid;
  const CollectiveSchedule schedule = find_collective_algorithm(algorithm).generate(request);
  Sample total;
  while (state.KeepRunning()) {
    const Sample one = measured_in_child([&]() -> Sample {
      const CollectiveResult run = run_collective(machine, schedule);
      return {.wakeups = run.wakeups, .tiles = 0, .bursts = run.packet_hops};
    });
    total.wakeups += one.wakeups;
    total.bursts += one.bursts;
    total.cpu_s += one.cpu_s;
    total.peak_mib = one.peak_mib;
    state.SetIterationTime(one.cpu_s);
  }
  const auto hops = static_cast<double>(total.bursts);
  const double bare = bare_events_per_s(schedule.size());
  state.SetLabel(std::to_string(schedule.size()) + " ranks");
  state.counters["wakeups_per_hop"] = static_cast<double>(total.wakeups) / hops;
  state.counters["hops_per_s"] = hops / total.cpu_s;
  state.counters["bare_events_per_s"] = bare;
  state.counters["peak_mib"] = total.peak_mib;
}

BENCHMARK_CAPTURE(collective, ring_16MiB, "ring", Scale{{{}, {2, 4}, {2, 4}}, 16 << 20, "4 KiB", "4 KiB"})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(collective, hierarchical_96KiB, "hierarchical",
                  Scale{{{1, 6}, {4, 4}, {2, 4}}, 96 << 10, "4 KiB", "4 KiB"})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(collective, ring_64MiB, "ring", Scale{{{1, 2}, {4, 4}, {2, 4}}, 64 << 20, "64 KiB", "64 KiB"})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kernbench
