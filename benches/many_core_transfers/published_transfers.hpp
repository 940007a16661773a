// Transfers that a maker has published of a many-core chip, as points of the bench.
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Of wormhole_n150.csv beside this file: one core issues transactions one after the other and waits for all.
struct PublishedTransfer {
  Json point;  ///< pattern, transactions, bytes (of one)
  Cycles cycles = 0;
  /// Whether constants of the machine were chosen by it.
  [[nodiscard]] bool fitted() const;
};
[[nodiscard]] const std::vector<PublishedTransfer>& published_transfers();

/// Throws std::out_of_range where it was not published.
[[nodiscard]] const PublishedTransfer& published_transfer(const Json& point);

[[nodiscard]] std::vector<Axis> published_transfer_axes();

/// In the order of the file.
[[nodiscard]] std::vector<std::string> transfer_patterns();

}  // namespace kernbench
