#include "benches/io/text/wrap.hpp"

#include <algorithm>
#include <sstream>

#include "benches/io/text/table.hpp"

namespace kernbench {
namespace {

/// Bytes of the first `characters` of a UTF-8 text.
std::size_t bytes_of(const std::string& utf8, std::size_t characters) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < utf8.size() && (i == 0 || at <= characters); ++i) {
    if ((static_cast<unsigned char>(utf8[i]) & 0xC0U) != 0x80U && ++at > characters) return i;
  }
  return utf8.size();
}

void wrap_line(const std::string& line, std::size_t width, std::vector<std::string>& lines) {
  std::istringstream words(line);
  std::string current;
  for (std::string word; words >> word;) {
    if (!current.empty() && display_width(current) + 1 + display_width(word) <= width) {
      current += " " + word;
      continue;
    }
    if (!current.empty()) lines.push_back(std::move(current));
    for (; display_width(word) > width; word.erase(0, bytes_of(word, width))) {
      lines.push_back(word.substr(0, bytes_of(word, width)));
    }
    current = word;
  }
  lines.push_back(current);
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream whole(text);
  for (std::string line; std::getline(whole, line);) wrap_line(line, width == 0 ? std::string::npos : width, lines);
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string hanging(const std::string& first, const std::string& text, std::size_t width) {
  const std::size_t indent = display_width(first);
  const std::size_t left = width > indent ? width - indent : std::min<std::size_t>(width, 1);
  std::string result;
  for (const std::string& line : wrapped(text, left)) {
    result += (result.empty() ? first : std::string(indent, ' ')) + line + "\n";
  }
  return result;
}

}  // namespace kernbench
