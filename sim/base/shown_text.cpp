#include "sim/base/shown_text.hpp"

#include <algorithm>
#include <array>

namespace kernbench {
namespace {

/// Bytes after the first one of a character of UTF-8.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// How a character of several bytes begins; what its second byte is from and to rules out longer ways to write the
/// same character, halves of surrogate pairs, and what lies beyond Unicode.
struct Utf8Lead {
  unsigned char from = 0;
  unsigned char to = 0;
  std::size_t length = 0;
  unsigned char second_from = 0x80;
  unsigned char second_to = 0xBF;
};
constexpr std::array kUtf8Leads{Utf8Lead{0x00, 0x7F, 1},
                                Utf8Lead{0xC2, 0xDF, 2},
                                Utf8Lead{0xE0, 0xE0, 3, 0xA0},
                                Utf8Lead{0xE1, 0xEC, 3},
                                Utf8Lead{0xED, 0xED, 3, 0x80, 0x9F},
                                Utf8Lead{0xEE, 0xEF, 3},
                                Utf8Lead{0xF0, 0xF0, 4, 0x90},
                                Utf8Lead{0xF1, 0xF3, 4},
                                Utf8Lead{0xF4, 0xF4, 4, 0x80, 0x8F}};

/// Bytes of the character at the beginning of `text`; 0 where it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (const Utf8Lead& lead : kUtf8Leads) {
    if (byte(0) < lead.from || byte(0) > lead.to) continue;
    if (text.size() < lead.length) return 0;
    if (lead.length > 1 && (byte(1) < lead.second_from || byte(1) > lead.second_to)) return 0;
    for (std::size_t i = 2; i < lead.length; ++i) {
      if (!continues(text[i])) return 0;
    }
    return lead.length;
  }
  return 0;
}

/// U+0000 to U+001F, and U+007F to U+009F, whose second half are two bytes.
bool is_control(std::string_view character) {
  const auto byte = [&character](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  return character.size() == 2 && byte(0) == 0xC2 && byte(1) < 0xA0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool has_control_characters(std::string_view text) {
  for (std::size_t length = 0; !text.empty(); text.remove_prefix(std::max<std::size_t>(length, 1))) {
    length = utf8_length(text);
    if (is_control(text.substr(0, length)) && text.front() != '\t' && text.front() != '\n') return true;
  }
  return false;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    if (length > 0 && !is_control(character)) {
      shown += character;
      continue;
    }
    for (const char c : character) {
      const auto code = static_cast<unsigned char>(c);
      shown.append("\\x").append(1, kHex[code >> 4U]).append(1, kHex[code & 0xFU]);
    }
  }
  return shown;
}

std::string printable_lines(const std::string& text) {
  std::string shown;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    shown += (begin > 0 ? "\n" : "") + printable(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  return shown;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t begin = (most - 3) * 2 / 3;
  std::size_t end = text.size() - (most - 3 - begin);
  while (begin > 0 && continues(text[begin])) --begin;
  while (end < text.size() && continues(text[end])) ++end;
  return std::string(text.substr(0, begin)) + "..." + std::string(text.substr(end));
}

std::string listed(const std::vector<std::string>& lines, std::size_t most) {
  std::string text;
  const std::size_t shown = std::min(lines.size(), most);
  for (std::size_t i = 0; i < shown; ++i) text += lines[i] + "\n";
  if (lines.size() > shown) text += "and " + std::to_string(lines.size() - shown) + " more\n";
  return text;
}

}  // namespace kernbench
