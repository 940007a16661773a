// A program of sub-commands: they register themselves, one file each, and map failures to exit codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benches/io/program/command.hpp"
#include "sim/base/source_place.hpp"

namespace kernbench {

/// Exit codes: 0 all well; 1 a row, a check or the simulation failed; 2 the user's input is wrong; 128 + n signal n.
struct ProgramCommand {
  int order = 0;     ///< place in the list of `--help`
  std::string name;  ///< what the user types
  std::string help;  ///< one line
  /// Adds options to `command` and returns what runs once they are parsed (nothing of a command that is made of
  /// commands). Errors are exceptions: ConfigError (exit
  /// code 2), anything else (exit code 1).
  std::function<std::function<int()>(CommandSpec& command)> set_up;
};

/// For the initialiser of a constant in the command's own file. Throws std::logic_error that names both places for a
/// second command of the same name.
bool register_command(ProgramCommand command, SourcePlace place = SourcePlace::here());

/// What `--help` and `--version` say of the program.
struct ProgramText {
  std::string name;  ///< what the user types
  std::string summary;
  std::string version;
  std::string examples;
  std::vector<MovedCommand> moved = {};  ///< names that commands had
};

/// Declares the registered commands, and those about the program itself, below `root`.
void declare_program(CommandSpec& root, const ProgramText& text);

/// Parses, runs the chosen one of the registered commands, prints errors to stderr; returns the exit code. What was
/// printed to standard output and did not arrive there is an error too (exit code 1).
int run_program(const ProgramText& text, int argc, char** argv);

}  // namespace kernbench
