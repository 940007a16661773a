// The row comes back as JSON; wrong input found only in the child comes back as a message of its own kind.
#include "benches/cli/sim_run.hpp"

#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>

#include "benches/harness/results/results_json.hpp"
#include "benches/harness/run/isolated.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/trace/trace_writer.hpp"

namespace kernbench {
namespace {

Picoseconds parse_time_limit(const std::string& text) {
  if (text.empty()) return kForever;
  try {
    return {parse_quantity(text, Dimension::kTime)};
  } catch (const ConfigError& error) {
    throw ConfigError("--time-limit: " + std::string(error.what()));
  }
}

/// In the child.
Row simulate_with_trace(const SimOptions& options, RunSettings settings, const TraceHeader& header,
                        const Simulate& simulate) {
  std::optional<TraceWriter> trace;
  if (!options.trace.empty()) settings.sink = &trace.emplace(options.trace, header);
  Row row = simulate(settings);
  if (options.verify) row.flags.emplace_back("verified");
  if (trace) trace->finish();
  return row;
}

}  // namespace

void SimOptions::add_to(CLI::App& app) {
  machine = MachineOptions::add_to(app);
  app.add_option("--layout", layout, "How matrices lie in HBM: blocked (tile after tile) or row_major")
      ->type_name("LAYOUT")
      ->capture_default_str();
  app.add_flag("--verify", verify, "Carry real values through the simulated machine and compare with a reference");
  app.add_option("--trace", trace, "Write a trace of every operation: .perfetto-trace.gz, or .json to read it yourself")
      ->type_name("FILE");
  app.add_option("--time-limit", time_limit, "Give up after this much simulated time, e.g. '1000 us'")
      ->type_name("TIME");
  app.add_option("--timeout", timeout_s, "Give up after so many seconds of real time; 0: never")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_flag("--json", json, "Print a results document (docs/results.md) instead of tables");
}

Layout parse_layout(const std::string& name) {
  if (const auto layout = layout_from_name(name)) return *layout;
  throw ConfigError("--layout " + name + ": expected " + std::string(layout_name(Layout::kBlocked)) + " or " +
                    std::string(layout_name(Layout::kRowMajor)));
}

Row simulate_isolated(const SimOptions& options, const TraceHeader& header, const Simulate& simulate) {
  if (!options.trace.empty()) check_trace_name(options.trace);
  RunSettings settings;
  settings.verify = options.verify;
  settings.limit = parse_time_limit(options.time_limit);
  const Work work = [&] {
    try {
      return Json{{"row", row_to_json(simulate_with_trace(options, settings, header, simulate))}}.dump();
    } catch (const ConfigError& error) {
      return Json{{"wrong_input", error.what()}}.dump();
    }
  };
  IsolationOptions isolation;
  isolation.jobs = 1;
  isolation.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
  const IsolationReport report = run_isolated({work}, isolation);
  const std::optional<Outcome>& outcome = report.outcomes.front();
  if (!outcome || !outcome->ok) {
    std::error_code ignored;  // there may be none
    if (!options.trace.empty()) std::filesystem::remove(partial_file(options.trace), ignored);
    if (!outcome) std::raise(report.stopped_by);  // ends this process the way its user asked for
    throw SimulationError(outcome ? outcome->reason : "interrupted");
  }
  const Json answer = Json::parse(outcome->payload);
  if (answer.contains("wrong_input")) throw ConfigError(answer["wrong_input"].get<std::string>());
  return row_from_json(answer["row"], "the simulation's result");
}

std::string as_results(const Row& row, const std::string& workload, const LoadedMachine& machine) {
  Results results;
  results.bench = workload;
  results.source = {"sim", machine.spec.name, machine.sha256, kModelVersion, "1"};
  results.rows = {row};
  return format_results(results);
}

}  // namespace kernbench
