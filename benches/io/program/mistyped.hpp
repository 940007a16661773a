// What to say of a command line that does not parse.
#pragma once

#include <string>
#include <vector>

#include "benches/io/program/command.hpp"

namespace kernbench {

/// What the parser says of a command line.
struct ParserError {
  std::string message;
  bool may_be_a_slip = false;  ///< an unknown option may be what is behind it
};

/// The command that the words name as far as they do, from the first one on.
[[nodiscard]] const CommandSpec& named_command(const CommandSpec& root, const std::vector<std::string>& words);

/// What to say of `words`: the nearest command or option where one of them is unknown; else what the parser says. The
/// last line names the help that has more.
[[nodiscard]] std::string mistyped_message(const CommandSpec& root, const std::vector<std::string>& words,
                                           const ParserError& error);

}  // namespace kernbench
