// `kernbench whatif`: what to change of a machine for a workload, and what every key is worth.
#include "benches/cli/whatif.hpp"

#include <algorithm>

#include "benches/cli/answer_outputs.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workload.hpp"
#include "benches/experiments/whatif/what_if_figures.hpp"
#include "benches/io/program/command_group.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/shell.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr const char* kWhatIfExamples = R"(Examples:
  kernbench whatif gemm --m 512 --k 512 --n 512 --variant ref_ref
  kernbench whatif gemm --m 4096 --k 4096 --n 4096 --topology topology/h200.yaml
  kernbench whatif collective --algorithm ring --sizes 1MiB
  kernbench whatif operator --op layernorm --batch 8 --sequence 1024 --dimension 4096
  kernbench whatif bench milestone-1h-gemm --only variant=ref_ref

Each stair is the change of hardware, a key doubled or halved or several on one path that move together, which gains
most for what it costs, where the machine file has prices, or else for each key; it stands on the stairs before it.)";

std::function<int()> set_up_whatif(CommandSpec& command) {
  command.footer(kWhatIfExamples);
  std::vector<ProgramCommand> commands{{9, "bench", "The points of a bench, together", whatif_bench_command::set_up}};
  add_workload_commands(commands, 1, set_up_whatif_workload);
  add_commands(command, commands);
  return {};  // one of them is run
}

const bool whatif_registered =
    register_command({21, "whatif", "What to change of a machine for a workload, and what it gains", set_up_whatif});

constexpr std::size_t kCurvesDrawn = 6;

/// "gemm --m 512 --k 512 --n 512"
std::string workload_text(const WhatIfQuestion& question) {
  std::string text;
  for (const std::string& word : question.workload) text += (text.empty() ? "" : " ") + quoted_for_shell(word);
  return text;
}

/// The command line by which this answer comes out again.
std::string command_line(const WhatIfQuestion& question, const WhatIfOptions& options) {
  std::string line = "kernbench whatif " + workload_text(question);
  for (const std::string& word : question.machine_options.given()) line += " " + quoted_for_shell(word);
  return line + " --stairs " + std::to_string(options.stairs);
}

/// The best mapping, where it is faster than the variant that was asked for.
std::optional<FreeChange> free_change(const WhatIfReport& report) {
  if (!report.free) return std::nullopt;
  if (times_faster(report.answer.base, report.free->row) <= 1 + kNoEffect) return std::nullopt;
  return report.free;
}

/// What was chosen on the machine as it is, and whether others have one of their own.
void add_way(const WhatIf& answer, WhatIfReport& report) {
  for (const Metric<std::string>& metric : {kMappingText, kKernelText}) {
    if (!answer.base.metrics.has(metric)) continue;
    const std::string chosen = answer.base.metrics.at(metric);
    const bool same = std::ranges::all_of(answer.effects, [&](const KeyEffect& effect) {
      return effect.twice.metrics.value_or(metric, chosen) == chosen &&
             effect.half.metrics.value_or(metric, chosen) == chosen;
    });
    report.way_kind = metric.name;
    report.way = chosen + (same ? ", on every machine" : ", and on every machine its own");
    return;
  }
}

/// That the page's table shows at first.
std::vector<std::string> metrics_of(const MachineSpec& machine) {
  if (kind_of(machine) == MachineKind::kPes) return {"time_ns", "times_faster", "added_cost", "limited_by"};
  return {"time_ns", "times_faster", "tflops", "sm_clock_mhz", "power_w", "limited_by", "kernel"};
}

void write_page(const WhatIfReport& report, const WhatIfQuestion& question, const WhatIfOptions& options,
                const Results& results) {
  const MachineSpec& machine = question.machine.spec;
  AnswerToWrite answer{.title = "whatif: " + report.title,
                       .headline = what_if_headline(report),
                       .command = command_line(question, options),
                       .metrics = metrics_of(machine),
                       .figures = {what_if_stairs(report.answer, machine, results, report.title),
                                   what_if_tornado(report.answer, machine, results, report.title)},
                       .results = results};
  if (!report.answer.curves.empty()) {
    answer.figures.push_back(what_if_curves(report.answer, machine, results, report.title));
  }
  write_answer(answer, question.machine, options.out);
}

}  // namespace

void WhatIfOptions::add_to(CommandSpec& command, std::shared_ptr<MachineOptions>& machine, ChildOptions& child,
                           OutputOptions& output) {
  command.add_option("--stairs", stairs, "At most so many").rule(whole_number(0, 20)).type_name("N").show_default();
  command.add_option("--out", out, "Write results, figures and a page into this folder")
      .type_name("DIR")
      .writes_folder();
  machine = MachineOptions::add_to(command);
  child.jobs = 0;
  child.add_jobs(command);
  child.add_limits(command);
  cache.add_to(command);
  output.add_to(command);
}

int answer_what_if(WhatIfReport report, const WhatIfQuestion& question, const WhatIfOptions& options,
                   const OutputOptions& output) {
  const LoadedMachine& machine = question.machine;
  if (!options.out.empty()) prepare_answer_folder(options.out, "whatif-" + question.name);
  report.machine = machine.spec;
  report.stairs_asked = options.stairs > 0;
  report.answer =
      what_if(machine.spec, question.evaluate,
              {.stairs = static_cast<std::size_t>(options.stairs), .curves = options.out.empty() ? 0 : kCurvesDrawn});
  report.answer.free = free_change(report);
  add_way(report.answer, report);
  report.evaluations = question.evaluator.asked();
  report.known = question.evaluator.known();
  Results results = as_results(rows_of(report.answer, machine.spec), "whatif-" + question.name, machine);
  for (Row& row : results.rows) row.point["workload"] = workload_text(question);
  if (!options.out.empty()) write_page(report, question, options, results);
  output.deliver([&](const Terminal& terminal) { return format_what_if(report, terminal); },
                 results_documents([&] { return results; }));
  return 0;
}

}  // namespace kernbench
