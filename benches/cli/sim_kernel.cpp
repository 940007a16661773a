// `kernbench sim kernel`: a kernel of one's own on some of a machine's PEs.
#include <memory>

#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/harness/collective/pe_set.hpp"
#include "benches/harness/report/pes_report.hpp"
#include "benches/harness/report/run_report.hpp"
#include "benches/harness/results/energy_row.hpp"
#include "benches/harness/results/row_from_over.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/simulation_memory.hpp"
#include "sim/system/user_kernel.hpp"

namespace kernbench::sim_kernel_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim kernel shift_around --over die
  kernbench sim kernel shift_around --over 0.0.0-0.0.3 --arg rows=256 --verify
  kernbench sim kernel shift_around --over die --trace shift.perfetto-trace.gz --set pe.message_queue.slots=8

docs/kernels.md says how to write one's own, in one file.
Exit codes: 0 all well, 1 the simulation failed or found a wrong value, 2 wrong input.)";

struct Options : SimOptions {
  std::string kernel;
  std::string over = "die";
  std::vector<std::string> arguments;
};

int run(const Options& options) {
  const UserKernel& kernel = find_user_kernel(options.kernel);
  const KernelArguments arguments = kernel.arguments(options.arguments);
  const LoadedMachine machine = options.machine->load();
  const PeSet over = parse_pes("--over", options.over, machine.spec);
  warn_of_buffers(over.machine);
  const std::string title =
      kernel.name + " over " + counted(static_cast<std::int64_t>(over.pes.size()), "PE") + " of " + machine.spec.name;
  TraceHeader header{title,
                     {{"machine", machine.spec.name}, {"machine_sha256", machine.sha256}, {"model", kModelVersion}}};
  Json point = {{"kernel", kernel.name}, {"over", options.over}};
  for (const auto& [name, value] : arguments.all()) {
    header.facts.emplace_back(name, std::to_string(value));
    point[name] = value;
  }
  Row row = simulate_isolated(options, header, system_memory(over.machine), [&](const RunSettings& settings) {
    const OverResult run = run_user_kernel(over.machine, kernel, arguments, over.pes, settings);
    Row of_run = row_of_over(run);
    add_energy(of_run, over.machine.energy, run.activity, run.time);
    if (settings.verify) of_run.metrics[kValuesCompared] = run.compared;
    return of_run;
  });
  row.point = point;
  const auto tables = [&](const Look& look) {
    return styled(title, Style::kBold, look.colours) + "\n" + format_pes(row, look) + "\n" +
           format_ledgers(row, over.machine, look) +
           fact("time", one_decimal(row.metrics.at("time_ns").get<double>()) + " ns", look) +
           format_over_facts(row, look) + format_extras(row, options.trace.string(), look);
  };
  options.deliver(tables, as_results({row}, "sim-kernel", machine), machine, title);
  return 0;
}

std::string kernels_help() {
  std::string text = "The kernel, of those in sim/kernels";
  for (const UserKernel& kernel : user_kernels()) {
    text += "\n" + kernel.name + ": " + kernel.summary;
    for (const KernelParameter& parameter : kernel.parameters) {
      text += "\n  " + parameter.name + ": " + parameter.summary + " [" + std::to_string(parameter.value) + "]";
    }
  }
  return text;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("kernel", options->kernel, kernels_help()).required().type_name("NAME");
  command
      .add_option("--over", options->over,
                  "PEs of a die, a package, the system, or by number: package.die.pe, with commas and ranges")
      .type_name("die|package|system|P.D.E[-P.D.E],...")
      .show_default();
  command.add_option("--arg", options->arguments, "A parameter of the kernel; may be given several times")
      .type_name("NAME=NUMBER");
  options->add_to(command);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench::sim_kernel_command
