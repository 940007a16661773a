// `kernbench dev task`: what `kernbench run --executor slurm` has each task of a cluster do (adr/0039-clusters.md).
#include "benches/cli/dev_commands.hpp"
#include "benches/experiments/cluster/run_task.hpp"
#include "benches/io/program/option_values.hpp"

namespace kernbench::dev_task_command {
namespace {

constexpr const char* kExamples = R"(Example:
  kernbench dev task out/milestone-1h-gemm-sweep-work/array-0001 17

`kernbench run --executor slurm` makes the folder and submits these commands; to see why a task failed, run it by
hand. Writes DIR/rows-INDEX.jsonl, and does nothing where that is there already.)";

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  struct Options {
    std::filesystem::path array;
    std::int64_t index = 0;
  };
  auto options = std::make_shared<Options>();
  command.add_option("DIR", options->array, "The folder of an array of tasks").required().type_name("DIR").reads();
  command.add_option("INDEX", options->index, "Which task, from 0")
      .required()
      .rule(whole_number(0, 1'000'000))
      .type_name("N");
  command.footer(kExamples);
  return [options] { return run_task(options->array, static_cast<std::size_t>(options->index)); };
}

}  // namespace kernbench::dev_task_command
