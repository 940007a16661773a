// `kernbench whatif`: what to change of a machine for a workload, and what every key is worth.
#include "benches/cli/whatif.hpp"

#include "benches/cli/sim_run.hpp"
#include "benches/harness/figures/render.hpp"
#include "benches/harness/files/disk.hpp"
#include "benches/harness/program/command_group.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/whatif/what_if_figures.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench whatif gemm --m 512 --k 512 --n 512 --variant ref_ref
  kernbench whatif bench milestone-1h-gemm --only variant=ref_ref
  kernbench whatif bench milestone-1h-ccl --only case=all_reduce-ring-die-tcm,size=1MiB

Each stair is the change of hardware, a key doubled or halved or several on one path that move together, which gains
most for what it costs, where the machine file has prices, or else for each key; it stands on the stairs before it.)";

std::function<int()> set_up_whatif(CommandSpec& command) {
  command.footer(kExamples);
  add_commands(command, {{1, "gemm", "C = A x B on one PE", set_up_whatif_gemm},
                         {2, "bench", "The points of a bench, together", set_up_whatif_bench}});
  return {};  // one of them is run
}

const bool registered =
    register_command({17, "whatif", "What to change of a machine for a workload, and what it gains", set_up_whatif});

}  // namespace

void WhatIfOptions::add_to(CommandSpec& command, std::shared_ptr<MachineOptions>& machine, ChildOptions& child,
                           OutputOptions& output) {
  command.add_option("--stairs", stairs, "At most so many").rule(whole_number(0, 20)).type_name("N").show_default();
  command.add_option("--out", out, "Draw the stairs and the effect of each key, SVG and PNG, into this folder")
      .type_name("DIR");
  machine = MachineOptions::add_to(command);
  child.jobs = 0;
  child.add_jobs(command);
  child.add_limits(command);
  cache.add_to(command);
  output.add_to(command);
}

int answer_what_if(WhatIfReport report, const LoadedMachine& machine, const Evaluate& evaluate,
                   const Evaluator& evaluator, const WhatIfOptions& options, const OutputOptions& output,
                   const std::string& name) {
  if (!options.out.empty())
    disk::make_folders(options.out);  // what cannot be written is told before anything is simulated
  report.machine = machine.spec;
  report.answer = what_if(machine.spec, evaluate, {.stairs = static_cast<std::size_t>(options.stairs)});
  report.evaluations = evaluator.asked();
  report.known = evaluator.known();
  Results results = as_results(rows_of(report.answer, machine.spec), name, machine);
  if (!options.out.empty()) {
    render_figures({what_if_stairs(report.answer, machine.spec, results, report.title),
                    what_if_tornado(report.answer, machine.spec, results, report.title)},
                   options.out);
  }
  output.deliver([&](const Look& look) { return format_what_if(report, look); },
                 results_documents([&] { return results; }));
  return 0;
}

}  // namespace kernbench
