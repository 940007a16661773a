// One simulation asked for on the command line: options that every workload shares, and the run in a child process.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "benches/cli/machine_options.hpp"
#include "benches/harness/results/results.hpp"
#include "sim/system/run.hpp"
#include "sim/system/trace/trace_encoding.hpp"

namespace kernbench {

struct SimOptions {
  std::shared_ptr<MachineOptions> machine;
  std::string layout = "blocked";
  bool verify = false;
  std::filesystem::path trace;
  std::string time_limit;
  double timeout_s = 0;
  bool json = false;

  void add_to(CLI::App& app);
};

/// Throws ConfigError that names the layouts there are.
[[nodiscard]] Layout parse_layout(const std::string& name);

/// The workload: simulates with these settings and reports a row.
using Simulate = std::function<Row(const RunSettings&)>;

/// Runs `simulate` in a child, with the trace where one is asked for: a crash becomes a message. The row carries the
/// flag `verified` when values were carried and compared. Throws ConfigError for wrong options and for a trace that
/// cannot be written, SimulationError for everything that goes wrong in the simulation.
[[nodiscard]] Row simulate_isolated(const SimOptions& options, const TraceHeader& header, const Simulate& simulate);

/// The row as a results document (docs/results.md), for programs.
[[nodiscard]] std::string as_results(const Row& row, const std::string& workload, const LoadedMachine& machine);

}  // namespace kernbench
