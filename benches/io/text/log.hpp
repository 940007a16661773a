// Logging for commands: lines on stderr through spdlog, synchronous (an asynchronous logger is a thread, and children
// are still to be forked).
#pragma once

namespace kernbench {

enum class Verbosity { kQuiet, kNormal, kVerbose, kDebug };

/// Sets spdlog's default logger: warnings only when quiet, then information, then each point, then children's output.
void set_up_log(Verbosity verbosity);

}  // namespace kernbench
