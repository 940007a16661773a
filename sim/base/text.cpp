#include "sim/base/text.hpp"

#include <array>
#include <cstdio>

namespace kernbench {
namespace {

template <class Text>
std::string join(std::span<const Text> parts, std::string_view separator, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? last : separator;
    text += parts[i];
  }
  return text;
}

}  // namespace

std::string joined(std::span<const std::string> parts, std::string_view separator) {
  return join(parts, separator, separator);
}

std::string joined(std::span<const std::string_view> parts, std::string_view separator) {
  return join(parts, separator, separator);
}

std::string joined_in_words(std::span<const std::string> parts, std::string_view last) {
  return join(parts, ", ", last);
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace kernbench
