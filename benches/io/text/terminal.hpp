// What the terminal can do, and what the user wants of it.
#pragma once

#include <cstddef>
#include <string>

namespace kernbench {

/// Colours on this descriptor: it is a terminal, not a dumb one, and NO_COLOR (no-color.org) is unset or empty.
bool colours_on(int fd);

/// Columns of the terminal: COLUMNS where that is set, else what the terminal says; 80 where there is none.
int terminal_width(int fd);

bool is_terminal(int fd);

enum class Style { kPlain, kBold, kDim, kRed, kGreen, kYellow };

/// How a table or a report may look.
struct Terminal {
  bool colours = false;
  std::size_t width = 80;  ///< columns; 0: as wide as it is
};

/// Of stdout; `wide` (--wide): no limit to the width.
[[nodiscard]] Terminal stdout_terminal(bool wide = false);

/// The text in that style, where `colours` says so.
std::string styled(const std::string& text, Style style, bool colours);

}  // namespace kernbench
