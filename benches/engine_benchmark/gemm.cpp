// What simulated GEMMs cost: wake-ups a tile and a burst, CPU seconds, memory.
#include <benchmark/benchmark.h>

#include <array>
#include <string>

#include "benches/engine_benchmark/measured_child.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/system/run.hpp"

namespace kernbench {
namespace {

constexpr std::array kVariants{"ref_ref", "load_ref", "load_load"};

MachineSpec machine_with_packets(Bytes packet) {
  return load_machine(kernbench::source_dir() + "/topology/milestone_1h.yaml",
                      {"simulation.packet_bytes=" + std::to_string(packet) + " B"})
      .spec;
}

Sample simulate(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant,
                bool fast_forward = false) {
  return measured_in_child([&]() -> Sample {
    const RunResult run = run_gemm(machine, problem, variant, {.fast_forward = fast_forward});
    return {.wakeups = run.engine.wakeups,
            .tiles = run.tiles,
            .tiles_passed_over = run.tiles_passed_over,
            .bursts = run.engine.bursts};
  });
}

/// One cube in one variant. Time: CPU seconds of the child.
void gemm(benchmark::State& state) {
  const std::int64_t size = state.range(0);
  const std::string variant = kVariants.at(static_cast<std::size_t>(state.range(1)));
  const MachineSpec machine = machine_with_packets(state.range(2));
  Sample total;
  while (state.KeepRunning()) {
    const Sample one = simulate(machine, {.m = size, .k = size, .n = size}, variant);
    total.wakeups += one.wakeups;
    total.tiles += one.tiles;
    total.cpu_s += one.cpu_s;
    total.peak_mib = one.peak_mib;
    state.SetIterationTime(one.cpu_s);
  }
  state.SetLabel(variant);
  state.counters["wakeups_per_tile"] = static_cast<double>(total.wakeups) / static_cast<double>(total.tiles);
  state.counters["tiles_per_s"] = static_cast<double>(total.tiles) / total.cpu_s;
  state.counters["peak_mib"] = total.peak_mib;
}
BENCHMARK(gemm)
    ->ArgNames({"size", "variant", "packet"})
    ->ArgsProduct({{512}, {0, 1, 2}, {4096, 256}})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(gemm)
    ->Name("gemm_large")
    ->ArgNames({"size", "variant", "packet"})
    ->Args({4096, 0, 4096})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// One cube both ways in turn, what repeats itself counted on (ADR-0047) and tile by tile, this only up to 2048³.
void fast_forward(benchmark::State& state) {
  const std::int64_t size = state.range(0);
  const std::string variant = kVariants.at(static_cast<std::size_t>(state.range(1)));
  MachineSpec machine = machine_with_packets(256);
  machine.die.hbm.capacity = Bytes{4} << 30U;
  const GemmProblem problem{.m = size, .k = size, .n = size};
  Sample counted;
  Sample simulated;
  while (state.KeepRunning()) {
    const Sample one = simulate(machine, problem, variant, true);
    if (size <= 2048) simulated.cpu_s += simulate(machine, problem, variant).cpu_s;
    counted.cpu_s += one.cpu_s;
    counted.tiles = one.tiles - one.tiles_passed_over;
    counted.peak_mib = one.peak_mib;
    state.SetIterationTime(one.cpu_s);
  }
  state.SetLabel(variant);
  state.counters["tiles_simulated"] = static_cast<double>(counted.tiles);
  state.counters["peak_mib"] = counted.peak_mib;
  if (simulated.cpu_s > 0) state.counters["of_full_run"] = counted.cpu_s / simulated.cpu_s;
}
BENCHMARK(fast_forward)
    ->ArgNames({"size", "variant"})
    ->ArgsProduct({{256, 512, 1024}, {0, 1, 2}})
    ->ArgsProduct({{2048, 4096, 16384}, {0}})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// Wake-ups that full detail adds, for each burst beyond the first of a packet of 4096 B or of a shorter row.
void wakeups_per_further_burst(benchmark::State& state) {
  const std::string variant = kVariants.at(static_cast<std::size_t>(state.range(0)));
  const GemmProblem problem{.m = 512, .k = 512, .n = 512};
  Sample coarse;
  Sample fine;
  while (state.KeepRunning()) {
    coarse = simulate(machine_with_packets(4096), problem, variant);
    fine = simulate(machine_with_packets(256), problem, variant);
    state.SetIterationTime(coarse.cpu_s + fine.cpu_s);
  }
  // Blocked operands: 16 bursts to an operand tile, 8 to an output tile of which there are 256.
  const std::int64_t output_bursts = std::int64_t{8} * 256;
  const std::int64_t packets = (fine.bursts - output_bursts) / 16 + 256;
  state.SetLabel(variant);
  state.counters["per_burst"] =
      static_cast<double>(fine.wakeups - coarse.wakeups) / static_cast<double>(fine.bursts - packets);
}
BENCHMARK(wakeups_per_further_burst)
    ->ArgName("variant")
    ->DenseRange(0, 2)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// The 24 runs of bench milestone-1h-gemm at full detail. Time: CPU seconds of the children together.
void milestone(benchmark::State& state) {
  constexpr std::array<std::array<std::int64_t, 3>, 8> shapes{{{32, 64, 32},
                                                               {16, 64, 32},
                                                               {32, 32, 32},
                                                               {32, 64, 16},
                                                               {128, 128, 128},
                                                               {256, 256, 256},
                                                               {512, 512, 512},
                                                               {32, 3072, 32}}};
  const MachineSpec machine = machine_with_packets(256);
  while (state.KeepRunning()) {
    double cpu_s = 0;
    for (const auto& [m, k, n] : shapes) {
      for (const char* variant : kVariants) cpu_s += simulate(machine, {.m = m, .k = k, .n = n}, variant).cpu_s;
    }
    state.SetIterationTime(cpu_s);
  }
}
BENCHMARK(milestone)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kernbench
