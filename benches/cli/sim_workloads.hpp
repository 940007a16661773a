// The commands `kernbench sim ...`: each adds its options and returns what runs once they are parsed.
#pragma once

#include <functional>

#include "benches/io/program/command.hpp"

namespace kernbench {

namespace sim_noc_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace sim_universal_gemm_command {
std::function<int()> set_up(CommandSpec& command);
}

}  // namespace kernbench
