// What help, manual pages and shell completion say of an option: all of it comes from its one definition.
#pragma once

#include <string>
#include <vector>

#include "benches/io/program/command.hpp"

namespace kernbench {

struct OptionText {
  std::vector<std::string> names;    ///< "-j", "--jobs"; of a positional one "FILE"
  std::string value;                 ///< "N", "die|package|system"; empty for a flag
  std::string main_name;             ///< the first long one, else the first
  std::string description;           ///< with its default, and whether it is required or excludes others
  std::vector<std::string> choices;  ///< what the value has to be one of; empty where it is free
};

[[nodiscard]] OptionText option_text(const Option& option);

/// Of an option that may stand without its name: "FILE", "bash|zsh".
[[nodiscard]] std::string argument_text(const Option& option);

/// Of a command, in the order in which they were added; positional ones first. --help of the whole program included.
[[nodiscard]] std::vector<OptionText> options_of(const CommandSpec& command);

}  // namespace kernbench
