// `kernbench map W`: ways to do one point of a workload, compared.
#include <memory>

#include "benches/cli/answer_outputs.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workload.hpp"
#include "benches/cli/workload_options.hpp"
#include "benches/io/program/command_group.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/rows/results_json.hpp"

namespace kernbench {
namespace {

constexpr const char* kMapExamples = R"(Examples:
  kernbench map gemm --m 4096 --k 4096 --n 4096 --top 10
  kernbench map gemm --m 1024 --k 1024 --n 1024 --over die --top 10      and how K is split between the PEs
  kernbench map gemm --m 2048 --k 2048 --n 2048 --map 'order=mnk stream=none' --set 'pe.tcm.capacity=1 MiB'
  kernbench map gemm --m 1024 --k 4096 --n 4096 --topology topology/h200.yaml      kernels that the library could launch

What of a mapping is not named is left to be chosen. Rows of --json are points that `kernbench sim` takes.)";

struct MapOptions {
  const Workload& workload;
  WorkloadOptions asked;
  std::int64_t top = 10;
  std::shared_ptr<MachineOptions> machine;
  std::string time_limit;
  ChildOptions child{.jobs = 1};
  OutputOptions output;
  std::string out;  ///< folder of results and a page; empty: none

  explicit MapOptions(const Workload& of) : workload(of), asked(of) {}
};

const WorkloadAnswers& answers_on(const MapOptions& options, MachineKind kind) {
  const WorkloadAnswers& answers = options.workload.on(kind, options.machine->file());
  if (answers.ways) return answers;
  throw ConfigError(options.machine->file() + ": " + options.workload.name + " is done in one way there");
}

int run_map(const MapOptions& options) {
  const MachineKind kind = options.machine->kind();
  const WorkloadAnswers& answers = answers_on(options, kind);
  const Bench both = bench_of(options.workload, options.asked.one_value(kind));
  const Bench& bench = *side_of(both, kind);
  const LoadedMachine machine = options.machine->load(bench);
  const Point point = answers.settle(machine.spec, expand_points(bench).front().point);
  const std::string title = answers.title(machine.spec, point);
  if (answers.memory) {
    options.child.memory.limit().require({title, answers.memory(machine.spec, point, {}), answers.smaller});
  }
  if (!options.out.empty()) prepare_answer_folder(options.out);
  const auto top = static_cast<std::size_t>(options.top);
  Results results = parse_results(
      plan_in_child(options.child,
                    [&] {
                      RunSettings settings;
                      settings.limit = parse_time_limit(options.time_limit);
                      std::vector<Row> rows;
                      for (Way<Point>& way : answers.ways(machine.spec, point, top, settings)) {
                        rows.push_back(std::move(way.row));
                        rows.back().point = way.asked;
                      }
                      return format_results(as_results(std::move(rows), "map-" + options.workload.name, machine));
                    }),
      title);
  if (!options.out.empty()) {
    AnswerToWrite answer{.title = title, .metrics = {}, .results = results};
    for (const ReportColumn& column : answers.columns) answer.metrics.push_back(column.metric);
    write_answer(answer, machine, options.out);
  }
  const auto tables = [&](const Terminal& terminal) {
    return styled(prose(title, terminal), Style::kBold, terminal.colours) +
           answers.ways_table(machine.spec, point, results.rows, top, terminal);
  };
  options.output.deliver(tables, results_documents([&] { return results; }));
  return 0;
}

std::function<int()> set_up_map_workload(CommandSpec& command, const Workload& workload) {
  auto options = std::make_shared<MapOptions>(workload);
  options->asked.add_to(command);
  command
      .add_option("--top", options->top,
                  "So many are shown, of those that are simulated: as many, or more where they are small")
      .rule(whole_number(1, 1000))
      .type_name("N")
      .show_default();
  options->machine = MachineOptions::add_to(command, MachineOptions::File::kArgumentToo);
  options->machine->add_packet(command);
  command.add_option("--time-limit", options->time_limit, "Leave out what takes more simulated time, e.g. '1000 us'")
      .type_name("TIME");
  options->child.add_limits(command);
  command.add_option("--out", options->out, "Write results and a page into this folder")
      .type_name("DIR")
      .writes_folder();
  options->output.add_to(command);
  command.footer(kMapExamples);
  return [options] { return run_map(*options); };
}

std::function<int()> set_up_map(CommandSpec& command) {
  command.footer(kMapExamples);
  std::vector<ProgramCommand> commands;
  for (const Workload& workload : all_workloads()) {
    const bool has_ways = (workload.on_pes && workload.on_pes->ways) || (workload.on_gpu && workload.on_gpu->ways);
    if (!has_ways) continue;
    commands.push_back({1, workload.name, workload.summary,
                        [&workload](CommandSpec& of) { return set_up_map_workload(of, workload); }});
  }
  add_commands(command, commands);
  return {};  // one of them is run
}

const bool map_registered =
    register_command({20, "map", "Compare mappings of a workload: time, traffic, TCM, limit", set_up_map});

}  // namespace
}  // namespace kernbench
