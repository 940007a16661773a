// The commands `kernbench topology ...` that have a file of their own: each adds its options and returns what runs once
// they are parsed.
#pragma once

#include <functional>

#include "benches/io/program/command.hpp"

namespace kernbench::topology_calibrate_command {
std::function<int()> set_up(CommandSpec& command);
}
