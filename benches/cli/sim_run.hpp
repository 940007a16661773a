// One simulation asked for on the command line: options that every workload shares, and the run in a child process.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "benches/cli/children.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/experiments/run/row_work.hpp"
#include "benches/io/program/command.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/base/quantity.hpp"
#include "sim/system/run.hpp"
#include "sim/system/trace/trace_encoding.hpp"

namespace kernbench {

struct SimOptions {
  std::shared_ptr<MachineOptions> machine;
  bool verify = false;
  bool no_fast_forward = false;  ///< every tile, PE and package is simulated
  std::filesystem::path trace;
  std::string time_limit;
  ChildOptions child{.jobs = 1};
  OutputOptions output;
  std::string out;  ///< folder of results, figure and page; empty: none

  void add_to(CommandSpec& command);
  /// Prints and writes what is asked for; `title` and `headline` are the page's, with these metrics in its table.
  /// Throws as write_answer and OutputOptions::deliver.
  void deliver(const std::function<std::string(const Terminal&)>& tables, const Results& results,
               const LoadedMachine& on, const std::string& title, const std::string& headline,
               const std::vector<std::string>& metrics = {"time_ns", "mac_util", "limited_by"}) const;
};

/// The value of an option with a unit. Throws ConfigError that names the option.
[[nodiscard]] std::int64_t option_quantity(const std::string& option, const std::string& text, Dimension dimension);
/// Of --time-limit; for ever where it was not given.
[[nodiscard]] Picoseconds parse_time_limit(const std::string& text);

/// Adds --trace and --time-limit, which every simulation has.
void add_run_options(CommandSpec& command, std::filesystem::path& trace, std::string& time_limit);
/// Throws ConfigError, before anything is simulated, where --trace names what can be no trace or is none of ours.
void check_trace(const std::filesystem::path& trace);
/// Takes away what a simulation that came to no end has written of its trace, if one was asked for.
void remove_partial_trace(const std::filesystem::path& trace);

/// The workload: simulates with these settings and reports a row.
using Simulate = std::function<Row(const RunSettings&)>;

/// One of several simulations.
struct Simulated {
  TraceHeader header;
  MemoryEstimate memory;
  Simulate simulate;
};
/// Runs each in a child, with the trace where one is asked for of one: a crash becomes a row that failed. Rows carry
/// the flag `verified` when values were carried and compared. `smaller`: what needs less memory, if not a smaller
/// machine. Throws ConfigError for wrong options, for more memory than --memory allows and for a trace that cannot be
/// written.
[[nodiscard]] std::vector<RowAnswer> simulate_each(const SimOptions& options, const std::vector<Simulated>& all,
                                                   const std::string& smaller = "");
/// What needs less memory: `smaller`, and no values.
[[nodiscard]] std::string advice_of(const SimOptions& options, const std::string& smaller);
/// One. Throws SimulationError for everything that goes wrong in the simulation, too.
[[nodiscard]] Row simulate_isolated(const SimOptions& options, const Simulated& one, const std::string& smaller = "");
[[nodiscard]] inline Row simulate_isolated(const SimOptions& options, const TraceHeader& header,
                                           const MemoryEstimate& memory, const Simulate& simulate) {
  return simulate_isolated(options, {header, memory, simulate});
}

/// The rows as results (docs/results.md), for programs.
[[nodiscard]] Results as_results(std::vector<Row> rows, const std::string& workload, const LoadedMachine& machine);

}  // namespace kernbench
