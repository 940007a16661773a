// `kernbench sim`: one run of one workload, shown in full.
#include <algorithm>

#include "benches/cli/sim_workload.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/io/program/command_group.hpp"

namespace kernbench::sim_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim gemm --m 512 --k 512 --n 512
  kernbench sim collective --algorithm all --sizes '16 B..1 MiB*4'
  kernbench sim shift_around --over die
  kernbench sim operator --op layernorm --batch 8 --sequence 128 --dimension 768
  kernbench sim noc --rate 0.1 --packet-flits 8
  kernbench sim universal-gemm --topology topology/h200_x4.yaml --m 8192 --k 8192 --n 8192

`kernbench sim gemm --help` and likewise for the others say more.)";

std::function<int()> set_up(CommandSpec& command) {
  command.footer(kExamples);
  std::vector<ProgramCommand> commands{
      {6, "noc", "Random traffic over a mesh of routers", sim_noc_command::set_up},
      {7, "universal-gemm", "A GEMM whose matrices are spread over GPUs", sim_universal_gemm_command::set_up}};
  add_workload_commands(commands, 1, set_up_sim_workload);
  std::ranges::stable_sort(commands, {}, &ProgramCommand::order);
  add_commands(command, commands);
  return {};  // one of them is run
}

const bool registered = register_command({11, "sim", "Simulate one workload and show where its time goes", set_up});

}  // namespace
}  // namespace kernbench::sim_command
