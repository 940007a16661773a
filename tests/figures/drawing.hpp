// What stands in a drawn figure.
#pragma once

#include <cstring>
#include <map>
#include <string>

namespace kernbench::sample {

/// What stands between the tags of an SVG document, each text with how often it stands there.
[[nodiscard]] inline std::map<std::string, int> texts_of(const std::string& svg) {
  std::map<std::string, int> texts;
  for (std::size_t tag = svg.find('>'); tag != std::string::npos; tag = svg.find('>', tag + 1)) {
    const std::size_t next = svg.find('<', tag);
    if (next != std::string::npos && next > tag + 1) ++texts[svg.substr(tag + 1, next - tag - 1)];
  }
  return texts;
}

/// What stands between two texts; "" where one of them is not there.
[[nodiscard]] inline std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return "";
  const std::size_t end = text.find(after, begin + before.size());
  return end == std::string::npos ? "" : text.substr(begin + before.size(), end - begin - before.size());
}

/// The number that follows `key`, less its grouping commas.
[[nodiscard]] inline double number_after(const std::string& text, const std::string& key) {
  std::string digits;
  for (std::size_t at = text.find(key) + key.size(); std::strchr("0123456789.,", text.at(at)) != nullptr; ++at) {
    if (text[at] != ',') digits += text[at];
  }
  return std::stod(digits);
}

}  // namespace kernbench::sample
