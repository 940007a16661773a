// What a sender knows of the buffer at the far end of its link (adr/0017): how much is taken, and what comes back when.
#pragma once

#include <algorithm>

#include "sim/engine/calendar.hpp"
#include "sim/hw/noc/fifo_pool.hpp"

namespace kernbench {

/// Room that comes back to a sender.
struct CreditReturn {
  Picoseconds at;
  Bytes bytes = 0;
};

/// Credits of one virtual channel of a link.
class Credit {
 public:
  /// The first instant, not before `not_before`, at which `bytes` fit into the buffer; kForever while that is unknown.
  /// A buffer of `capacity` holds two packets of any size.
  [[nodiscard]] Picoseconds room_at(const FifoPool<CreditReturn>& pool, Bytes capacity, Bytes bytes,
                                    Picoseconds not_before) const {
    Bytes excess = taken_ + bytes - std::max(capacity, 2 * bytes);
    if (excess <= 0) return not_before;
    Picoseconds at = kForever;
    pool.scan(returns_, [&](const CreditReturn& back) {
      excess -= back.bytes;
      if (excess > 0) return true;
      at = std::max(not_before, back.at);
      return false;
    });
    return at;
  }

  /// Announces that `bytes` come back at `at`, or with those before them when that is later: a buffer frees in order.
  void give_back(FifoPool<CreditReturn>& pool, Bytes bytes, Picoseconds at) {
    last_return_ = std::max(last_return_, at);
    pool.push(returns_, {last_return_, bytes});
  }

  /// Forgets what has come back by `now`, and takes `bytes`.
  void take(FifoPool<CreditReturn>& pool, Bytes bytes, Picoseconds now) {
    while (!returns_.empty() && pool.front(returns_).at <= now) taken_ -= pool.pop(returns_).bytes;
    taken_ += bytes;
  }

 private:
  Bytes taken_ = 0;  // returns not forgotten yet included
  Fifo returns_;
  Picoseconds last_return_{};
};

}  // namespace kernbench
