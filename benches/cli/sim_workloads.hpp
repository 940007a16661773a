// The commands `kernbench sim ...`: each adds its options and returns what runs once they are parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace kernbench {

std::function<int()> set_up_sim_gemm(CLI::App& app);
std::function<int()> set_up_sim_math(CLI::App& app);
std::function<int()> set_up_sim_collective(CLI::App& app);
std::function<int()> set_up_sim_noc(CLI::App& app);

}  // namespace kernbench
