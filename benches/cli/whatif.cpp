// `kernbench whatif`: what to change of a machine for a workload, and what every key is worth.
#include <memory>
#include <optional>

#include "benches/cli/sim_gemm.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/cli/whatif_report.hpp"
#include "benches/harness/figures/render.hpp"
#include "benches/harness/program/command_group.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/row_from_run.hpp"
#include "benches/harness/whatif/what_if_figures.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench whatif gemm --m 512 --k 512 --n 512 --variant ref_ref
  kernbench whatif gemm --m 512 --k 512 --n 512 --map auto --topology topology/edge_npu.yaml
  kernbench whatif gemm --m 512 --k 512 --n 512 --variant ref_ref --out out/whatif

Each stair is the change of hardware, a key doubled or halved or up to three on one path that move together, which
gains most for each key; it stands on the stairs before it. The mapping stays as it is; what another one would gain
costs nothing, and is said first.)";

struct WhatIfOptions : SimGemmOptions {
  std::int64_t stairs = 4;
  std::string out;  ///< folder of figures; empty: none
};

Row simulate(const MachineSpec& machine, const GemmProblem& problem, const GemmWay& way) {
  if (!way.mapping) return row_from_run(run_gemm(machine, problem, way.variant), machine, problem);
  return row_from_run(run_gemm(machine, problem, *way.mapping), with_tile(machine, way.mapping->tile), problem);
}

/// Each machine in a child of its own, several at a time.
std::vector<Row> evaluate(const WhatIfOptions& options, const GemmProblem& problem, const GemmWay& way,
                          const std::vector<MachineSpec>& machines) {
  std::vector<Work> works;
  std::vector<MemoryNeed> needs;
  for (const MachineSpec& machine : machines) {
    works.push_back(row_work([&machine, &problem, &way] { return simulate(machine, problem, way); }));
    needs.push_back({"a machine", gemm_memory(machine, problem, false), "a smaller problem"});
  }
  std::vector<Row> rows;
  for (const Outcome& outcome : run_children("whatif", works, options.child.fitted(needs))) {
    try {
      rows.push_back(row_answer(outcome).row);
    } catch (const ConfigError& error) {  // the workload does not fit that machine
      rows.emplace_back();
      rows.back().status = "skipped";
      rows.back().reason = error.what();
    }
  }
  return rows;
}

int run_whatif_gemm(const WhatIfOptions& options) {
  if (!options.map.empty() && !options.variant.empty()) throw ConfigError("--map: expected no --variant beside it");
  if (!options.variant.empty()) static_cast<void>(find_gemm_kernel(options.variant));
  const LoadedMachine machine = options.machine->load();
  const GemmProblem problem = problem_of(options);
  const WhatIfLimits limits{.stairs = static_cast<std::size_t>(options.stairs)};
  const bool mapped = options.variant.empty();
  const MappingRequest request = parse_mapping(options.map.empty() ? "auto" : options.map, "--map");
  WhatIfReport report;
  report.machine = machine.spec;
  GemmWay way{options.variant};
  const MappingChoice choice = choose_gemm_mapping(options, problem, machine, request);
  if (mapped) {
    way = {"mapped", choice.simulated.front().ranked.mapping};
    report.mapping = to_text(*way.mapping);
  } else {
    report.free = choice.simulated.front();
  }
  report.title = gemm_title(problem, mapped ? "mapped" : options.variant, machine);
  report.answer = what_if(
      machine.spec, [&](const std::vector<MachineSpec>& machines) { return evaluate(options, problem, way, machines); },
      limits);
  const Results results = as_results(rows_of(report.answer, machine.spec), "whatif-gemm", machine);
  if (!options.out.empty()) {
    render_figures({what_if_stairs(report.answer, machine.spec, results, report.title),
                    what_if_tornado(report.answer, machine.spec, results, report.title)},
                   options.out);
  }
  options.output.deliver([&](const Look& look) { return format_what_if(report, look); },
                         results_documents([&] { return results; }));
  return 0;
}

std::function<int()> set_up_whatif_gemm(CommandSpec& command) {
  auto options = std::make_shared<WhatIfOptions>();
  options->variant = "";
  add_gemm_shape(command, *options);
  command.add_option("--variant", options->variant, "A variant, as of sim gemm").type_name("NAME");
  command.add_option("--map", options->map, "A mapping, or what of it is not left to be chosen, as of sim gemm [auto]")
      .type_name("MAPPING");
  command.add_option("--stairs", options->stairs, "At most so many")
      .rule(whole_number(0, 20))
      .type_name("N")
      .show_default();
  command.add_option("--out", options->out, "Draw the stairs and the effect of each key, SVG and PNG, into this folder")
      .type_name("DIR");
  options->machine = MachineOptions::add_to(command);
  options->child.jobs = 0;
  options->child.add_jobs(command);
  options->child.add_limits(command);
  options->output.add_to(command);
  command.footer(kExamples);
  return [options] { return run_whatif_gemm(*options); };
}

std::function<int()> set_up_whatif(CommandSpec& command) {
  command.footer(kExamples);
  add_commands(command, {{1, "gemm", "C = A x B on one PE", set_up_whatif_gemm}});
  return {};  // one of them is run
}

const bool registered =
    register_command({17, "whatif", "What to change of a machine for a workload, and what it gains", set_up_whatif});

}  // namespace
}  // namespace kernbench
