// Benches that the command line is tested with: one that works, one whose points fail, one that waits at a gate.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "benches/workloads/bench.hpp"

namespace kernbench {
namespace {

/// What the tests pass in.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Row timed(double time_ns) {
  Row row;
  row.metrics.json() = {{"time_ns", time_ns}, {"mac_util", 0.5}};
  row.windows = {{"pe_ns", time_ns}};
  row.stages = {{"mac", "pe0.mac", time_ns / 2, time_ns / 2, 1, 0, 4096}};
  return row;
}

/// Leaves a line in the file TOY_LOG, so that a test can count simulations; with TOY_GATE set, points of size 3 and
/// more wait until that file exists.
Row simulate_steps(const MachineSpec& machine, const Point& point, const PointSettings& /*settings*/) {
  const int size = point["size"];
  const std::string gate = environment("TOY_GATE");
  while (!gate.empty() && size >= 3 && !std::filesystem::exists(gate)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::ofstream(environment("TOY_LOG"), std::ios::app) << size << "\n";
  Row row = timed(size * 11.0 * machine.pe.clock.time_for(1).ns());
  if (size == 1) row.flags.emplace_back("under_tile");
  return row;
}

const bool steps = register_bench({
    .name = "toy-steps",
    .summary = "Time in proportion to size",
    .version = "1",
    .folder = environment("TOY_FOLDER"),
    .axes = {{"size", {1, 2, 3, 4}}},
    .report = {{"time_ns", "time (ns)"}, {"mac_util", "MAC util", true}},
    .simulate = simulate_steps,
    .theory = [](const MachineSpec&, const Point& point) { return timed(point["size"].get<int>() * 10.0); },
});

Row simulate_faults(const MachineSpec& /*machine*/, const Point& point, const PointSettings& /*settings*/) {
  const std::string fault = point["fault"];
  if (fault == "throw") throw std::runtime_error("deadlock: pe0.dma waits for credits");
  if (fault == "abort") std::abort();
  while (fault == "hang") ::pause();
  return timed(1);
}

const bool faults = register_bench({
    .name = "toy-faults",
    .summary = "One point of each fault",
    .version = "1",
    .folder = "tests/cli/toy",
    .axes = {{"fault", {"none", "throw", "abort", "hang"}}},
    .report = {{"time_ns", "time (ns)"}},
    .simulate = simulate_faults,
});

}  // namespace
}  // namespace kernbench
