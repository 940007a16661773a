// `kernbench whatif W`: one point of a workload.
#include <memory>

#include "benches/cli/sim_workload.hpp"
#include "benches/cli/whatif.hpp"
#include "benches/cli/workload_options.hpp"

namespace kernbench {
namespace {

struct WhatIfWorkloadOptions : PointsOptions {
  const Workload& workload;
  WorkloadOptions asked;
  bool keep = false;

  explicit WhatIfWorkloadOptions(const Workload& of) : workload(of), asked(of) {}
};

int run_whatif_workload(const WhatIfWorkloadOptions& options) {
  const MachineKind kind = options.machine->kind();
  const WorkloadAnswers& answers = options.workload.on(kind, options.machine->file());
  const Bench both = bench_of(options.workload, options.asked.one_value(kind));
  const Bench& bench = *side_of(both, kind);
  const LoadedMachine machine = options.machine->load(bench);
  const Point point = answers.settle(machine.spec, expand_points(bench).front().point);
  const std::string title = answers.title(machine.spec, point);
  PointsAsked asked{bench, {{point, {}, title}}, title, {options.workload.name}};
  for (const std::string& word : options.asked.given()) asked.words.push_back(word);
  if (options.keep) asked.words.emplace_back("--keep-mapping");
  if (answers.changed) {
    asked.changed = [&](const Point& one, const Row& base) { return answers.changed(one, base, options.keep); };
  }
  if (answers.freely) {
    if (const std::optional<Point> best = answers.freely(machine.spec, point)) asked.freely = {*best, {}, title};
  }
  return answer_what_if(asked, machine, options);
}

}  // namespace

std::function<int()> set_up_whatif_workload(CommandSpec& command, const Workload& workload) {
  auto options = std::make_shared<WhatIfWorkloadOptions>(workload);
  options->asked.add_to(command);
  options->what_if.add_to(command, options->machine, options->child, options->output);
  if (workload.on_pes && workload.on_pes->multi_pe) options->machine->add_packet(command);
  if (workload.on_pes && workload.on_pes->changed) {
    command.add_flag("--keep-mapping", options->keep,
                     "The mapping, or the kernel of a GPU, of the machine as it is on every machine, too");
  }
  return [options] { return run_whatif_workload(*options); };
}

}  // namespace kernbench
