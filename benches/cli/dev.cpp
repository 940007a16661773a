// `kernbench dev`: what builders of kernbench need, and scripts that call it.
#include "benches/cli/dev_commands.hpp"
#include "benches/io/program/command_group.hpp"

namespace kernbench::dev_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench dev adr check
  kernbench dev cache stat
  kernbench dev trace-grow rank0.json.gz big.json --size 1GB

docs/development.md says when.)";

std::function<int()> set_up(CommandSpec& command) {
  command.footer(kExamples);
  add_commands(
      command,
      {{1, "adr", "List the decisions, or hold them against the tests", dev_adr_command::set_up},
       {2, "cache", "Rows of earlier evaluations: how many are kept, remove some", dev_cache_command::set_up},
       {3, "task", "One task of `run --executor slurm`, which calls it on a cluster's nodes", dev_task_command::set_up},
       {4, "trace-grow", "A large trace out of a small one, with known answers", dev_trace_grow_command::set_up}});
  return {};  // one of them is run
}

const bool registered =
    register_command({110, "dev", "For builders of kernbench: decisions, cache, tasks, large traces", set_up});

}  // namespace
}  // namespace kernbench::dev_command
