// `kernbench sim`: one run of one workload, shown in full.
#include <memory>

#include "benches/cli/sim_workloads.hpp"
#include "benches/harness/program/program.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim gemm --m 512 --k 512 --n 512 --variant load_ref
  kernbench sim math --op relu --m 512 --n 512
  kernbench sim collective --algorithm all --sizes 16B:64MiB:x4
  kernbench sim noc --rate 0.1 --packet-flits 8

`kernbench sim gemm --help` and likewise for the others say more.)";

std::function<int()> set_up(CLI::App& app) {
  app.require_subcommand(1);
  auto chosen = std::make_shared<std::function<int()>>();
  const auto add = [&](const char* name, const char* help, std::function<int()> (*set_up_workload)(CLI::App&)) {
    CLI::App* sub = app.add_subcommand(name, help);
    sub->callback([chosen, action = set_up_workload(*sub)] { *chosen = action; });
  };
  add("gemm", "C = A x B on one PE", set_up_sim_gemm);
  add("math", "An element-wise operation on one PE", set_up_sim_math);
  add("collective", "An all_reduce, all_gather, ... between PEs", set_up_sim_collective);
  add("noc", "Random traffic over a mesh of routers", set_up_sim_noc);
  app.footer(kExamples);
  return [chosen] { return (*chosen)(); };
}

const bool registered = register_command({15, "sim", "Simulate one workload and show where its time goes", set_up});

}  // namespace
}  // namespace kernbench
