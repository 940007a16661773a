// ANSI escapes live here only.
#include "benches/io/text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace kernbench {

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

bool colours_on(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return is_terminal(fd) && term != nullptr && std::strcmp(term, "dumb") != 0;
}

int terminal_width(int fd) {
  const char* columns = std::getenv("COLUMNS");
  if (columns != nullptr) {
    int width = 0;
    const char* end = columns + std::strlen(columns);
    if (std::from_chars(columns, end, width).ptr == end && width > 0) return width;
  }
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

Terminal stdout_terminal(bool wide) {
  return {colours_on(STDOUT_FILENO), wide ? 0 : static_cast<std::size_t>(terminal_width(STDOUT_FILENO))};
}

std::string styled(const std::string& text, Style style, bool colours) {
  if (!colours || style == Style::kPlain || text.empty()) return text;
  const char* code = "";
  switch (style) {
    case Style::kPlain:
      break;
    case Style::kBold:
      code = "1";
      break;
    case Style::kDim:
      code = "2";
      break;
    case Style::kRed:
      code = "31";
      break;
    case Style::kGreen:
      code = "32";
      break;
    case Style::kYellow:
      code = "33";
      break;
  }
  return std::string("\033[") + code + "m" + text + "\033[0m";
}

}  // namespace kernbench
