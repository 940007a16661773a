// The `kernbench-gpu` program: commands register themselves, one file each, and map failures to exit codes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace kernbench::gpu {

/// Exit codes: 0 all well; 1 a row or the device failed; 2 the user's input is wrong.
struct Command {
  int order = 0;     ///< place in the list of `--help`
  std::string name;  ///< what the user types
  std::string help;  ///< one line
  /// Adds options to `app` and returns what runs once they are parsed. Errors are exceptions: ConfigError (exit code
  /// 2), anything else (exit code 1).
  std::function<std::function<int()>(CLI::App& app)> set_up;
};

/// For the initialiser of a constant in the command's own file.
bool register_command(Command command);

/// Parses, runs the chosen command, prints errors to stderr; returns the exit code.
int run_program(int argc, char** argv);

/// Since the program began: what --budget counts.
double elapsed_s();

/// The command line as provenance records it: files by their name, without the folders of this machine.
const std::string& command_line();

}  // namespace kernbench::gpu
