#include "benches/traces/merge/json_text.hpp"

#include <array>

namespace kernbench::traces {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_plain(char character) {
  return static_cast<unsigned char>(character) >= 0x20 && character != '"' && character != '\\';
}

void append_escaped(std::string& out, char character) {
  switch (character) {
    case '"':
    case '\\':
      out += '\\';
      out += character;
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += "\\u00";
      out += kHexDigits[static_cast<unsigned char>(character) >> 4U];
      out += kHexDigits[static_cast<unsigned char>(character) & 15U];
  }
}

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_plain(text[i])) continue;
    out.append(text, from, i - from);
    append_escaped(out, text[i]);
    from = i + 1;
  }
  out.append(text, from);
  out += '"';
}

void append_microseconds(std::string& out, TracePs time) {
  if (time < 0) out += '-';
  const std::uint64_t size = time < 0 ? -static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
  out += std::to_string(size / 1'000'000);
  out += '.';
  std::uint64_t rest = size % 1'000'000;
  std::array<char, 6> digits{};
  for (std::size_t i = digits.size(); i-- > 0; rest /= 10) digits.at(i) = static_cast<char>('0' + rest % 10);
  out.append(digits.data(), size % 1000 == 0 ? 3 : 6);
}

}  // namespace kernbench::traces
