#include "benches/cli/sim_run.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include "benches/cli/answer_outputs.hpp"
#include "benches/io/files/own_file.hpp"
#include "benches/results/figures/waterfall.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/trace/trace_writer.hpp"

namespace kernbench {
namespace {

/// In the child.
Row simulate_with_trace(const SimOptions& options, RunSettings settings, const TraceHeader& header,
                        const Simulate& simulate) {
  std::optional<TraceWriter> trace;
  if (!options.trace.empty()) settings.sink = &trace.emplace(options.trace, header);
  Row row = simulate(settings);
  const bool compared = row.metrics.value_or(kValuesCompared, 1) > 0;
  if (options.verify && compared && row.status == "ok") row.flags.emplace_back("verified");
  if (trace) trace->finish();
  return row;
}

}  // namespace

void SimOptions::add_to(CommandSpec& command) {
  machine = MachineOptions::add_to(command, MachineOptions::File::kArgumentToo);
  command.add_flag("--verify", verify, "Carry real values through the simulated machine and compare with a reference");
  add_run_options(command, trace, time_limit);
  child.add_limits(command);
  command.add_option("--out", out, "Write results, what the time went to as a figure, and a page into this folder")
      .type_name("DIR")
      .writes_folder();
  output.add_to(command);
}

void SimOptions::deliver(const std::function<std::string(const Terminal&)>& tables, const Results& results,
                         const LoadedMachine& on, const std::string& title, const std::string& headline,
                         const std::vector<std::string>& metrics) const {
  if (!out.empty()) {
    AnswerToWrite answer{.title = title, .headline = headline, .metrics = metrics, .results = results};
    if (has_waterfall(results)) answer.figures.push_back(waterfall_figure(results, title));
    write_answer(answer, on, out);
  }
  output.deliver(tables, results_documents([&] { return results; }));
}

void add_run_options(CommandSpec& command, std::filesystem::path& trace, std::string& time_limit) {
  command
      .add_option("--trace", trace,
                  "Write a trace of every operation: .perfetto-trace.gz, or .json to read it yourself")
      .type_name("FILE")
      .writes();
  command.add_option("--time-limit", time_limit, "Give up after this much simulated time, e.g. '1000 us'")
      .type_name("TIME");
}

std::int64_t option_quantity(const std::string& option, const std::string& text, Dimension dimension) {
  try {
    return parse_quantity(text, dimension);
  } catch (const ConfigError& error) {
    throw ConfigError(option + ": " + error.what());
  }
}

Picoseconds parse_time_limit(const std::string& text) {
  return text.empty() ? kForever : Picoseconds{option_quantity("--time-limit", text, Dimension::kTime)};
}

void check_trace(const std::filesystem::path& trace) {
  if (trace.empty()) return;
  check_trace_name(trace);
  require_own_trace(trace);
}

void remove_partial_trace(const std::filesystem::path& trace) {
  std::error_code ignored;  // there may be none
  if (!trace.empty()) std::filesystem::remove(partial_file(trace), ignored);
}

std::string advice_of(const SimOptions& options, const std::string& smaller) {
  std::string advice = smaller.empty() && options.verify ? "smaller matrices" : smaller;
  if (advice.empty()) advice = kSmallerMachine;
  if (options.verify) advice += ", or no --verify";
  return advice;
}

std::vector<RowAnswer> simulate_each(const SimOptions& options, const std::vector<Simulated>& all,
                                     const std::string& smaller) {
  check_trace(options.trace);
  if (!options.out.empty()) prepare_answer_folder(options.out);  // what cannot be written is told before simulating
  RunSettings settings;
  settings.verify = options.verify;
  settings.fast_forward = !options.no_fast_forward;
  settings.limit = parse_time_limit(options.time_limit);
  const std::string advice = advice_of(options, smaller);
  std::vector<Work> works;
  std::vector<MemoryNeed> needs;
  for (const Simulated& one : all) {
    works.push_back(row_work([&] { return simulate_with_trace(options, settings, one.header, one.simulate); }));
    needs.push_back({one.header.title, one.memory, advice});
  }
  const auto clean_up = [&options] { remove_partial_trace(options.trace); };
  std::vector<RowAnswer> answers;
  for (const Outcome& outcome : run_children("sim", works, options.child.fitted(needs), clean_up)) {
    answers.push_back(row_answer(outcome));
  }
  return answers;
}

Row simulate_isolated(const SimOptions& options, const Simulated& one, const std::string& smaller) {
  RowAnswer answer = simulate_each(options, {one}, smaller).front();
  if (answer.over_time) {
    remove_partial_trace(options.trace);
    throw TimeLimitError(answer.row.reason);
  }
  if (answer.row.status != "ok") throw SimulationError(answer.row.reason);
  return std::move(answer.row);
}

Results as_results(std::vector<Row> rows, const std::string& workload, const LoadedMachine& machine) {
  Results results;
  results.bench = workload;
  results.source = {"sim", machine.spec.name, machine.sha256, kModelVersion, "1", machine.settings};
  results.rows = std::move(rows);
  return results;
}

}  // namespace kernbench
