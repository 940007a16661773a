// No command writes over what it reads.
#pragma once

#include "benches/io/program/command.hpp"

namespace kernbench {

/// Holds what the options of a parsed command write (Option::writes, Option::writes_folder) against what the others
/// read and write. Throws ConfigError where a file that is written is one that is read or the other that is written, by
/// whatever name and behind whatever link; where it is a JSON file or a trace in a folder that is read; and where what
/// a run takes out of its folder is read.
void require_distinct_files(const CommandSpec& command);

}  // namespace kernbench
