// `kernbench sim W` and `kernbench whatif W` of a registered workload (adr/0063-workloads.md).
#pragma once

#include <functional>

#include "benches/harness/program/command.hpp"
#include "benches/harness/workload/workload.hpp"

namespace kernbench {

/// Each adds its options and returns what runs once they are parsed.
[[nodiscard]] std::function<int()> set_up_sim_workload(CommandSpec& command, const Workload& workload);
[[nodiscard]] std::function<int()> set_up_whatif_workload(CommandSpec& command, const Workload& workload);

}  // namespace kernbench
