// The ways of a packet with several receivers (adr/0065).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kernbench {

/// The routes from one endpoint to several: what they have in common from the source on is one branch, and where they
/// part a branch has several behind it (65.4).
struct MulticastTree {
  struct Branch {
    std::int32_t link = 0;
    std::int32_t receiver = -1;          ///< the number of the receiver that the link leads to; -1: to a router
    std::vector<std::int32_t> behind{};  ///< branches, by the number of their links
  };
  std::vector<std::int32_t> receivers;  ///< nodes
  std::vector<Branch> branches;         ///< that of the source's link first

  [[nodiscard]] const Branch& branch(std::int32_t number) const { return branches[static_cast<std::size_t>(number)]; }
  /// The branch behind this one by `link`; a new one where none is there.
  std::int32_t enter(std::int32_t at, std::int32_t link) {
    std::vector<std::int32_t>& behind = branches[static_cast<std::size_t>(at)].behind;
    const auto link_of = [this](std::int32_t one) { return branch(one).link; };
    const auto place = std::ranges::lower_bound(behind, link, {}, link_of);
    if (place != behind.end() && link_of(*place) == link) return *place;
    const auto added = static_cast<std::int32_t>(branches.size());
    behind.insert(place, added);
    branches.push_back({link});
    return added;
  }
};

}  // namespace kernbench
