// What `kernbench sim collective` prints: a row a point as nccl-tests prints them, then what follows from all of them.
#pragma once

#include <string>
#include <vector>

#include "benches/harness/results/results.hpp"
#include "benches/harness/text/terminal.hpp"

namespace kernbench {

/// What is known of a run beside its row.
struct CollectiveCost {
  double cpu_s = 0;  ///< of the simulation, schedule and elaboration included
};

struct CollectiveReport {
  std::vector<Row> rows;              ///< in the order in which they were asked for
  std::vector<CollectiveCost> costs;  ///< of each row
  bool verified = false;
  bool counts = false;  ///< with packet-hops, wake-ups and what they cost
};

/// Size, count, type, time, bandwidths, bound, busiest link; a point that failed or was skipped says why.
[[nodiscard]] std::string format_collectives(const CollectiveReport& report, const Look& look);

/// The fastest algorithm of each size and the fits of each algorithm, as far as `derived` (derive_collectives) has
/// them.
[[nodiscard]] std::string format_collective_summary(const std::vector<Row>& derived, const Look& look);

}  // namespace kernbench
