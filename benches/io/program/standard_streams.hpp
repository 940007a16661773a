// What a program owes its standard streams: they are open, and what was printed arrived.
#pragma once

#include <string>

namespace kernbench {

/// Standard streams that were closed by who started the program become ones that refuse: a file opened later must not
/// get their number, and take in what is printed. A limit on the size of files fails the write, not the program.
void keep_standard_streams();

/// Brings out what was printed to standard output. Returns what went wrong, "No space left on device"; empty: nothing,
/// not at any time since the program began.
[[nodiscard]] std::string standard_output_failure();

}  // namespace kernbench
