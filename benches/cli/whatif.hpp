// What the commands of `kernbench whatif` share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benches/cli/children.hpp"
#include "benches/cli/machine_options.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/cli/whatif_report.hpp"
#include "benches/harness/program/command.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {

struct WhatIfOptions {
  std::int64_t stairs = 4;
  std::string out;  ///< folder of figures; empty: none

  /// With what every question needs: the machine, how it is simulated, and how the answer is given.
  void add_to(CommandSpec& command, std::shared_ptr<MachineOptions>& machine, ChildOptions& child,
              OutputOptions& output);
};

/// Simulations in children, several at a time, as rows in their order; one that the machine cannot run is "skipped".
[[nodiscard]] std::vector<Row> simulate_all(const std::vector<std::function<Row()>>& simulations,
                                            const std::vector<MemoryNeed>& needs, const ChildOptions& children);

/// Asks, draws and prints; `report` has everything but the answer. The results are called `name`.
int answer_what_if(WhatIfReport report, const LoadedMachine& machine, const Evaluate& evaluate,
                   const WhatIfOptions& options, const OutputOptions& output, const std::string& name);

std::function<int()> set_up_whatif_gemm(CommandSpec& command);
std::function<int()> set_up_whatif_bench(CommandSpec& command);

}  // namespace kernbench
