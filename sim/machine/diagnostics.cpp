// Sorting and printing of gathered errors.
#include "sim/machine/diagnostics.hpp"

#include <algorithm>
#include <tuple>

#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench {
namespace {

/// Enough to see what is wrong with a file; a file of nothing else would fill a screen for hours.
constexpr std::size_t kMostErrors = 100;
constexpr std::size_t kLongestError = 1000;

}  // namespace

std::size_t Diagnostics::add_file(std::string_view name) {
  files_.emplace_back(name);
  return files_.size() - 1;
}

void Diagnostics::add(const Place& place, std::string_view subject, std::string_view message) {
  std::string text = place.override_number != 0 ? "--set " + place.override_text
                                                : files_.at(place.file) + ':' + std::to_string(place.line) + ':' +
                                                      std::to_string(place.column);
  if (!subject.empty()) text += ": " + std::string(subject);
  entries_.push_back({place, shortened(printable(text + ": " + std::string(message)), kLongestError)});
}

bool Diagnostics::full() const { return entries_.size() >= kMostErrors; }

void Diagnostics::throw_if_any() const {
  if (entries_.empty()) return;
  auto sorted = entries_;
  const auto order = [](const Entry& e) {
    return std::tuple(e.place.override_number, e.place.file, e.place.line, e.place.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Entry& a, const Entry& b) { return order(a) < order(b); });
  std::string message;
  for (const auto& entry : sorted) message += entry.text + '\n';
  auto number = sorted.size() == 1 ? "1 error" : std::to_string(sorted.size()) + " errors";
  if (full()) number += ", and perhaps more,";
  throw ConfigError(message + number + " in machine " + files_.front());
}

}  // namespace kernbench
