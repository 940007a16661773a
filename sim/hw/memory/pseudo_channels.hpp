// The pseudo-channels of one HBM partition: each serves bursts one after the other, reads and writes alike.
#pragma once

#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/block.hpp"

namespace kernbench {

enum class Access { kRead, kWrite };

/// ADR-0004, clauses 4.5 and 4.6: burst b belongs to channel b mod channels.
class PseudoChannels {
 public:
  explicit PseudoChannels(const HbmSpec& spec);

  /// Serves the bursts of a packet that arrives at `arrival`; returns the end of its last burst.
  Picoseconds serve(const Packet& packet, Access access, Picoseconds arrival);

  /// Sum over the channels of the time spent on bursts.
  [[nodiscard]] Picoseconds busy() const { return bursts_ * burst_time_; }
  [[nodiscard]] std::int64_t bursts() const { return bursts_; }

 private:
  struct Channel {
    Picoseconds free_at;
    Access last = Access::kRead;
    bool used = false;
  };

  Picoseconds burst_time_;
  Picoseconds turnaround_;
  std::int64_t bursts_ = 0;
  std::vector<Channel> channels_;
};

}  // namespace kernbench
