// Lists as options take them: "a,b,c".
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace kernbench {

/// The parts between the separators, in their order; at least one. Throws ConfigError that names `option` for a part
/// that is empty: a separator too many is a slip, or a value that a script left out.
[[nodiscard]] std::vector<std::string> list_items(const std::string& option, const std::string& text,
                                                  char separator = ',');

/// Each value once, where it stands first: what is asked for twice need not be simulated twice.
template <typename T>
[[nodiscard]] std::vector<T> each_once(const std::vector<T>& values) {
  std::vector<T> once;
  for (const T& value : values) {
    if (std::ranges::find(once, value) == once.end()) once.push_back(value);
  }
  return once;
}

}  // namespace kernbench
