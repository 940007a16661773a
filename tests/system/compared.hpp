// The simulator and the calculator side by side: the same run, the same kind of answer.
#pragma once

#include <string>

#include "tests/system/calculator.hpp"

namespace kernbench {

/// What the simulator says, from a forked child. Throws std::runtime_error with the message of a run that failed.
calculator::Outcome simulated(const MachineSpec& machine, const calculator::Run& run);

/// "" where both say the same in everything, else the lines that differ, the simulator's first.
std::string difference(const calculator::Outcome& simulated, const calculator::Outcome& calculated);

/// Both sides of one run: "" or how they differ.
std::string difference_of(const MachineSpec& machine, const calculator::Run& run);

/// "32x3072x32 load_ref row_major"
std::string name_of(const calculator::Run& run);

}  // namespace kernbench
