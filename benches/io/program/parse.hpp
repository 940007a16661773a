// Reads a command line by its definition, with CLI11.
#pragma once

#include "benches/io/program/command.hpp"

namespace kernbench {

/// What a command line asks for.
struct Parsed {
  enum class Wish { kRun, kHelp, kVersion };
  Wish wish = Wish::kRun;
  const CommandSpec* command = nullptr;  ///< which one is to run, or to be explained
};

/// Stores what is given in the options' targets. Throws ConfigError that names the slip (mistyped.hpp).
[[nodiscard]] Parsed parse(const CommandSpec& root, int argc, char** argv);

}  // namespace kernbench
