// Shell completion, from the definitions that --help is made of.
#pragma once

#include <string>

#include "benches/io/program/command.hpp"

namespace kernbench {

/// A script that makes bash complete the program's commands, options, choices and files; zsh reads it, too.
[[nodiscard]] std::string bash_completion(const CommandSpec& root);
/// The same for zsh, by its bash emulation.
[[nodiscard]] std::string zsh_completion(const CommandSpec& root);

}  // namespace kernbench
