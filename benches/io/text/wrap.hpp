// Lines of words, not longer than a width.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benches/io/text/terminal.hpp"

namespace kernbench {

/// The text in lines of at most `width` (0: no limit) characters as shown, broken between words; a word that is longer
/// is broken where the line ends. Ends of lines in the text are kept, spaces between words are not. No text: one line.
[[nodiscard]] std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// These lines, the first one after `first`, the others after as many spaces, each with its end; `width` is of all.
[[nodiscard]] std::string hanging(const std::string& first, const std::string& text, std::size_t width);

/// Sentences below a table.
[[nodiscard]] inline std::string prose(const std::string& text, const Terminal& terminal) {
  return hanging("", text, terminal.width);
}

}  // namespace kernbench
