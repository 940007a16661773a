// Who has used what several share, and when last: of a wait it tells what the others took
// (adr/0033-the-ledger.md, 33.9).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"

namespace kernbench {

/// Of a link, a channel or a port. Users are PEs, by their node; calls come in the order in which they are served.
class Sharing {
 public:
  /// What of (ready, start] `user` has waited for others: since its own last turn, where others have had theirs since.
  [[nodiscard]] Picoseconds wait(std::int32_t user, Picoseconds ready, Picoseconds start) const {
    if (start <= ready || user == last_ || last_ == kNobody) return {};
    const auto own = std::ranges::lower_bound(ends_, user, {}, &Turn::first);
    if (own == ends_.end() || own->first != user) return start - ready;
    return start - std::clamp(own->second, ready, start);
  }

  /// `user` has had its turn until `end`.
  void served(std::int32_t user, Picoseconds end) {
    if (user != last_) {
      if (last_ != kNobody) remember();
      last_ = user;
    }
    end_ = end;
  }

 private:
  using Turn = std::pair<std::int32_t, Picoseconds>;
  static constexpr std::int32_t kNobody = -1;

  void remember() {
    const auto place = std::ranges::lower_bound(ends_, last_, {}, &Turn::first);
    if (place != ends_.end() && place->first == last_) {
      place->second = end_;
    } else {
      ends_.insert(place, {last_, end_});
    }
  }

  std::int32_t last_ = kNobody;
  Picoseconds end_{};
  std::vector<Turn> ends_;  ///< of those before, by user
};

}  // namespace kernbench
