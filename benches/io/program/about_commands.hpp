// Commands that every program has: what it says about itself.
#pragma once

#include <vector>

#include "benches/io/program/program.hpp"

namespace kernbench {

/// `help`, `completion` and `man`, for a program of that text.
[[nodiscard]] std::vector<ProgramCommand> about_commands(const ProgramText& text);

}  // namespace kernbench
