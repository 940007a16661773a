// A command that is made of commands: `kernbench sim gemm`, `kernbench topology show`.
#pragma once

#include <string>
#include <vector>

#include "benches/io/program/program.hpp"

namespace kernbench {

/// Declares them below `command`, in this order.
void add_commands(CommandSpec& command, const std::vector<ProgramCommand>& commands);

}  // namespace kernbench
