// Which of several items equal each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kernbench {

/// For each item the first one that equals it.
template <typename Item>
std::vector<std::int32_t> first_alike(const std::vector<Item>& items) {
  std::vector<std::int32_t> alike;
  std::vector<std::int32_t> first;  // of each sort
  for (const Item& item : items) {
    const auto same = [&](std::int32_t other) { return items[static_cast<std::size_t>(other)] == item; };
    const auto found = std::ranges::find_if(first, same);
    if (found == first.end()) {
      first.push_back(static_cast<std::int32_t>(alike.size()));
      alike.push_back(first.back());
    } else {
      alike.push_back(*found);
    }
  }
  return alike;
}

}  // namespace kernbench
