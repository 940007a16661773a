// Flit-hops per second of the 8 x 8 mesh at 0.3 flits per node and cycle, beside the calendar's bare rate.
#include <benchmark/benchmark.h>

#include "benches/engine_benchmark/measured_child.hpp"
#include "sim/engine/process.hpp"
#include "sim/system/noc/noc_traffic.hpp"

namespace kernbench {
namespace {

Process wait_again(Calendar* calendar, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) co_await calendar->delay({1000});
}

/// One process a router that only waits: what the mesh would cost if every router woke in every cycle.
Sample run_bare() {
  constexpr std::int64_t kProcesses = 64;
  constexpr std::int64_t kCycles = 40'000;
  Calendar calendar("calendar");
  std::vector<Process> all;
  all.reserve(kProcesses);
  for (std::int64_t i = 0; i < kProcesses; ++i) {
    all.push_back(wait_again(&calendar, kCycles));
    all.back().start(calendar);
  }
  const double begin = process_cpu_s();
  calendar.run();
  return {.wakeups = calendar.wakeups(), .cpu_s = process_cpu_s() - begin};
}

/// Flit-hops are counted as bursts.
Sample run_mesh(int packet_flits) {
  NocTest test;
  test.rate = 0.3;
  test.mesh.packet_flits = packet_flits;
  test.measure = 40'000;
  const NocResult result = run_noc_test(test);
  return {.wakeups = result.wakeups, .bursts = result.flit_hops, .cpu_s = result.cpu_s};
}

void noc(benchmark::State& state) {
  Sample mesh;
  Sample bare;
  while (state.KeepRunning()) {
    const Sample one = measured_in_child([&] { return run_mesh(static_cast<int>(state.range(0))); });
    mesh.wakeups += one.wakeups;
    mesh.bursts += one.bursts;
    mesh.cpu_s += one.cpu_s;
    const Sample other = measured_in_child(run_bare);
    bare.wakeups += other.wakeups;
    bare.cpu_s += other.cpu_s;
    state.SetIterationTime(one.cpu_s);
  }
  state.counters["flit_hops_per_s"] = static_cast<double>(mesh.bursts) / mesh.cpu_s;
  state.counters["wakeups_per_flit_hop"] = static_cast<double>(mesh.wakeups) / static_cast<double>(mesh.bursts);
  state.counters["bare_wakeups_per_s"] = static_cast<double>(bare.wakeups) / bare.cpu_s;
}
BENCHMARK(noc)->ArgName("packet_flits")->Arg(1)->Arg(8)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kernbench
