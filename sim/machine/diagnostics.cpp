// Sorting and printing of gathered errors.
#include "sim/machine/diagnostics.hpp"

#include <algorithm>
#include <tuple>

#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

/// What a user typed may hold control characters; an error stays on its line and leaves the terminal alone.
std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code != 0x7F) {
      shown += c;
    } else {
      shown.append("\\x").append(1, kHex[code >> 4U]).append(1, kHex[code & 0xFU]);
    }
  }
  return shown;
}

}  // namespace

void Diagnostics::add(const Place& place, std::string_view subject, std::string_view message) {
  std::string text = place.override_number != 0
                         ? "--set " + place.override_text
                         : file_name_ + ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
  if (!subject.empty()) text += ": " + std::string(subject);
  entries_.push_back({place, printable(text + ": " + std::string(message))});
}

void Diagnostics::throw_if_any() const {
  if (entries_.empty()) return;
  auto sorted = entries_;
  const auto order = [](const Entry& e) { return std::tuple(e.place.override_number, e.place.line, e.place.column); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Entry& a, const Entry& b) { return order(a) < order(b); });
  std::string message;
  for (const auto& entry : sorted) message += entry.text + '\n';
  const auto number = sorted.size() == 1 ? "1 error" : std::to_string(sorted.size()) + " errors";
  throw ConfigError(message + number + " in machine " + file_name_);
}

}  // namespace kernbench
