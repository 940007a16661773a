// `kernbench sim W`: one point of a workload, shown in full.
#include "benches/cli/sim_workload.hpp"

#include <memory>

#include "benches/cli/over_rows.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/workload_options.hpp"
#include "benches/harness/text/plain_text.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

struct SimWorkloadOptions : SimOptions {
  const Workload& workload;
  WorkloadOptions asked;

  explicit SimWorkloadOptions(const Workload& of) : workload(of), asked(of) {}
};

constexpr const char* kSimWorkloadExits =
    "\n\nExit codes: 0 all well, 1 the simulation failed or computed a wrong value, 2 wrong input.";

/// Of the trace: what it is of.
TraceHeader header_of(const std::string& title, const Point& point, const LoadedMachine& machine) {
  TraceHeader header{title,
                     {{"machine", machine.spec.name}, {"machine_sha256", machine.sha256}, {"model", kModelVersion}}};
  for (const auto& [name, value] : point.items()) {
    header.facts.emplace_back(name, plain_text(value));
  }
  return header;
}

Row simulated(const SimWorkloadOptions& options, const WorkloadAnswers& answers, const Point& point,
              const LoadedMachine& machine, const std::string& title) {
  if (machine.spec.gpu != nullptr) {  // where nothing is simulated event by event
    if (options.verify) require_pes(machine, "--verify");
    if (!options.trace.empty()) require_pes(machine, "--trace");
    if (!options.time_limit.empty()) require_pes(machine, "--time-limit");
    return answers.run(machine.spec, point, {});
  }
  const MemoryEstimate memory =
      answers.memory ? answers.memory(machine.spec, point, {options.verify}) : MemoryEstimate{};
  return simulate_isolated(options, header_of(title, point, machine), memory,
                           [&](const RunSettings& settings) { return answers.run(machine.spec, point, settings); });
}

int run_sim_workload(const SimWorkloadOptions& options) {
  const MachineKind kind = options.machine->kind();
  const WorkloadAnswers& answers = options.workload.on(kind, options.machine->file());
  const Point point = options.asked.point(kind);
  const Bench bench = bench_of(options.workload);
  const LoadedMachine machine = options.machine->load(*side_of(bench, kind));
  const std::string title = answers.title(machine.spec, point);
  Row row = simulated(options, answers, point, machine, title);
  row.point = point;
  const auto tables = [&](const Look& look) {
    std::string text = styled(title, Style::kBold, look.colours) + "\n" + format_ledgers(row, machine.spec, look);
    for (const Fact& line : answers.facts(row)) text += fact(line.name, line.value, look);
    if (answers.over_pes) text += format_repeated(row, "--trace", look);
    return text + format_extras(row, options.trace.string(), look);
  };
  options.deliver(tables, as_results({row}, "sim-" + options.workload.name, machine), machine, title);
  return 0;
}

}  // namespace

std::function<int()> set_up_sim_workload(CommandSpec& command, const Workload& workload) {
  auto options = std::make_shared<SimWorkloadOptions>(workload);
  options->asked.add_to(command);
  options->add_to(command, false);
  command.footer(workload.examples + kSimWorkloadExits);
  return [options] { return run_sim_workload(*options); };
}

void add_workload_commands(std::vector<ProgramCommand>& commands, int order, SetUpWorkload set_up) {
  for (const Workload& workload : all_workloads()) {
    commands.push_back({order, workload.name, workload.summary,
                        [&workload, set_up](CommandSpec& command) { return set_up(command, workload); }});
  }
}

}  // namespace kernbench
