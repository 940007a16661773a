// What help, manual pages and shell completion say of an option: all of it comes from its one definition.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kernbench {

struct OptionText {
  std::vector<std::string> names;    ///< "-j", "--jobs"; of a positional one "FILE"
  std::string value;                 ///< "N", "die|package|system"; empty for a flag
  std::string main_name;             ///< the first long one, else the first
  std::string description;           ///< with its default, and whether it is required or excludes others
  std::vector<std::string> choices;  ///< what the value has to be one of; empty where it is free
};

[[nodiscard]] OptionText option_text(const CLI::Option& option);

/// Of a command, in the order in which they were added; positional ones first. --help of the whole program included.
[[nodiscard]] std::vector<OptionText> options_of(const CLI::App& command);

/// "kernbench sim gemm".
[[nodiscard]] std::string full_name(const CLI::App& command);

/// Its sub-commands, in the order of --help.
[[nodiscard]] std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

/// The command that these words name, below `root`. Throws ConfigError with the nearest name where there is none.
[[nodiscard]] const CLI::App& find_command(const CLI::App& root, const std::vector<std::string>& words);

/// For Option::check(): the value is one of these; the message has the nearest.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> names);

}  // namespace kernbench
