// What the terminal can do, and what the user wants of it.
#pragma once

#include <string>

namespace kernbench {

/// Colours on this descriptor: it is a terminal, not a dumb one, and NO_COLOR (no-color.org) is unset or empty.
bool colours_on(int fd);

/// Columns of the terminal; 80 where it does not say.
int terminal_width(int fd);

bool is_terminal(int fd);

enum class Style { kPlain, kBold, kDim, kRed, kGreen, kYellow };

/// The text in that style, where `colours` says so.
std::string styled(const std::string& text, Style style, bool colours);

}  // namespace kernbench
