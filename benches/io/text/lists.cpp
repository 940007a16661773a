#include "benches/io/text/lists.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLongestShown = 80;

}  // namespace

std::vector<std::string> list_items(const std::string& option, const std::string& text, char separator) {
  std::vector<std::string> items = split(text, std::string_view(&separator, 1));
  const bool has_empty = std::any_of(items.begin(), items.end(), [](const std::string& item) { return item.empty(); });
  if (!has_empty) return items;
  if (items.size() == 1) throw ConfigError(option + ": expected a value, got an empty text");
  throw ConfigError(option + " " + shortened(text, kLongestShown) + ": expected a value before and after each '" +
                    separator + "'");
}

}  // namespace kernbench
