// A command that is made of commands: `kernbench sim gemm`, `kernbench topology show`.
#pragma once

#include <string>
#include <vector>

#include "benches/harness/program/program.hpp"

namespace kernbench {

/// Adds them in this order; the action of the one that the user chooses is run.
[[nodiscard]] std::function<int()> set_up_group(CLI::App& app, const std::vector<ProgramCommand>& commands);

}  // namespace kernbench
