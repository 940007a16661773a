// Another program, run to its end: what it said and how it ended.
#pragma once

#include <string>
#include <vector>

#include "benches/experiments/run/stop_signals.hpp"

namespace kernbench {

struct CalledProgram {
  int exit_code = 0;  ///< 128 + n where signal n ended it
  std::string out;
  std::string err;
};

enum class WhenStopped {
  kWait,  ///< the program comes to its end all the same
  kEnd,   ///< it is ended
};

/// Looks the first word up in $PATH and waits for the program's end. It is in a process group of its own, so that
/// Ctrl-C does not reach it. Throws ConfigError where there is no such program; std::system_error.
[[nodiscard]] CalledProgram call_program(const std::vector<std::string>& words, const StopSignals& signals,
                                         WhenStopped when_stopped);

}  // namespace kernbench
