// What to say of a command line that does not parse.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kernbench {

/// The message for `error`, which parsing `words` threw: the nearest command or option where one of them is unknown;
/// else CLI11's own. Its last line names the help that has more.
[[nodiscard]] std::string mistyped_message(const CLI::App& root, const std::vector<std::string>& words,
                                           const CLI::ParseError& error);

}  // namespace kernbench
