// How long a schedule takes where only the ranks' own ports are shared (adr/0018): the time that the simulator is held
// against, and that closed forms give without a schedule.
#pragma once

#include "sim/base/checked.hpp"
#include "sim/base/units.hpp"
#include "sim/plan/collective/schedule.hpp"

namespace kernbench {

/// What a message costs where nothing contends: alpha, then its bytes at the bandwidth (18.6).
struct AlphaBeta {
  Picoseconds alpha;
  Bandwidth bandwidth;
  Bytes element_bytes = 1;
  /// What a message keeps its ports busy for: rounded up once.
  [[nodiscard]] Picoseconds wire(std::int64_t elements) const {
    return bandwidth.time_for(checked_multiply(elements, element_bytes, "a message", kInBytes));
  }
};

/// The time from the start to the last step. Every rank has one port out and one port in; each is a queue. A message of
/// b bytes sent at t leaves at s = max(t, out port free), keeps the out port busy for w = ceil(b / bandwidth), reaches
/// the in port at s + alpha, and is there at max(s + alpha, in port free) + w. Reductions and copies take no time.
/// Messages that come to a port at the same time are served in the order in which they were sent; threads that go on at
/// the same time, in the order in which their messages came, at first by rank and number. Throws SimulationError where
/// a thread waits for ever.
[[nodiscard]] Picoseconds alpha_beta_time(const CollectiveSchedule& schedule, const AlphaBeta& cost);

}  // namespace kernbench
