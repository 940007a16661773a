// `kernbench whatif W`: one point of a workload.
#include <memory>

#include "benches/cli/sim_workload.hpp"
#include "benches/cli/whatif.hpp"
#include "benches/cli/workload_options.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {
namespace {

struct WhatIfWorkloadOptions : PointsOptions {
  const Workload& workload;
  Bench bench;
  WorkloadOptions asked;

  explicit WhatIfWorkloadOptions(const Workload& of) : workload(of), bench(bench_of(of)), asked(of) {}
};

int run_whatif_workload(const WhatIfWorkloadOptions& options) {
  const std::string file = options.machine->file();
  const MachineKind kind = is_gpu_file(file) ? MachineKind::kGpu : MachineKind::kPes;
  const WorkloadAnswers& answers = options.workload.on(kind, file);
  const Point point = options.asked.point(kind);
  const Bench& bench = *side_of(options.bench, kind);
  const LoadedMachine machine = options.machine->load(bench);
  const std::string title = answers.title(machine.spec, point);
  PointsAsked asked{bench, {{point, {}, title}}, title, {options.workload.name}};
  for (const std::string& word : options.asked.given()) asked.words.push_back(word);
  return answer_what_if(asked, machine, options);
}

}  // namespace

std::function<int()> set_up_whatif_workload(CommandSpec& command, const Workload& workload) {
  auto options = std::make_shared<WhatIfWorkloadOptions>(workload);
  options->asked.add_to(command);
  options->what_if.add_to(command, options->machine, options->child, options->output);
  return [options] { return run_whatif_workload(*options); };
}

}  // namespace kernbench
