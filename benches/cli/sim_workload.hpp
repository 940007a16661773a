// `kernbench sim W` and `kernbench whatif W` of a registered workload (adr/0063-workloads.md).
#pragma once

#include <functional>
#include <vector>

#include "benches/io/program/program.hpp"
#include "benches/workloads/workload.hpp"

namespace kernbench {

/// Each adds its options and returns what runs once they are parsed.
[[nodiscard]] std::function<int()> set_up_sim_workload(CommandSpec& command, const Workload& workload);
[[nodiscard]] std::function<int()> set_up_whatif_workload(CommandSpec& command, const Workload& workload);

/// One of these for every workload.
using SetUpWorkload = std::function<int()> (*)(CommandSpec& command, const Workload& workload);
void add_workload_commands(std::vector<ProgramCommand>& commands, int order, SetUpWorkload set_up);

}  // namespace kernbench
