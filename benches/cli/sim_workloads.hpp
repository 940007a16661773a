// The commands `kernbench sim ...`: each adds its options and returns what runs once they are parsed.
#pragma once

#include <functional>

#include "benches/harness/program/command.hpp"

namespace kernbench {

std::function<int()> set_up_sim_gemm(CommandSpec& command);
std::function<int()> set_up_sim_math(CommandSpec& command);
std::function<int()> set_up_sim_collective(CommandSpec& command);
std::function<int()> set_up_sim_kernel(CommandSpec& command);
std::function<int()> set_up_sim_operator(CommandSpec& command);
std::function<int()> set_up_sim_noc(CommandSpec& command);
std::function<int()> set_up_sim_universal_gemm(CommandSpec& command);

}  // namespace kernbench
