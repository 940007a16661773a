// `kernbench sim W`: one point of a workload, shown in full.
#include "benches/cli/sim_workload.hpp"

#include <memory>

#include "benches/cli/over_rows.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/workload_options.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
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
    header.facts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return header;
}

/// On a GPU nothing is simulated event by event.
void refuse_simulation_options(const SimOptions& options) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw ConfigError(std::string(option) + ": expected a machine of PEs; the machine file is a GPU");
  };
  refuse(options.verify, "--verify");
  refuse(!options.trace.empty(), "--trace");
  refuse(!options.time_limit.empty(), "--time-limit");
}

Row simulated(const SimWorkloadOptions& options, const WorkloadAnswers& answers, const Point& point,
              const LoadedMachine& machine) {
  if (machine.spec.gpu != nullptr) {
    refuse_simulation_options(options);
    return answers.run(machine.spec, point, {});
  }
  const std::string title = answers.title(machine.spec, point);
  const MemoryEstimate memory =
      answers.memory ? answers.memory(machine.spec, point, {options.verify}) : MemoryEstimate{};
  return simulate_isolated(options, header_of(title, point, machine), memory,
                           [&](const RunSettings& settings) { return answers.run(machine.spec, point, settings); });
}

int run_sim_workload(const SimWorkloadOptions& options) {
  const std::string file = options.machine->file();
  const MachineKind kind = is_gpu_file(file) ? MachineKind::kGpu : MachineKind::kPes;
  const WorkloadAnswers& answers = options.workload.on(kind, file);
  const Point point = options.asked.point(kind);
  const LoadedMachine machine =
      kind == MachineKind::kGpu ? load_gpu_machine(file, options.machine->overrides()) : options.machine->load();
  const std::string title = answers.title(machine.spec, point);
  Row row = simulated(options, answers, point, machine);
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

}  // namespace kernbench
