// How this run of `kernbench-gpu` was started, and when.
#pragma once

#include <string>

namespace kernbench::gpu {

/// Once, before anything else: command_line() is made of these.
void record_command_line(int argc, char** argv);

/// The command line as provenance records it: files by their name, without the folders of this machine.
const std::string& command_line();

/// Since the program began: what --budget counts.
double elapsed_s();

}  // namespace kernbench::gpu
