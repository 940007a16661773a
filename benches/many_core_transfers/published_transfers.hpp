// Transfers that a maker has published of a many-core chip, as points of the bench.
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Of the tables beside this file: one core issues transactions one after the other and waits for all
/// (wormhole_n150.csv), or several use channels of DRAM at once (wormhole_n150_dram.csv).
struct PublishedTransfer {
  Json point;           ///< pattern and transactions, bytes (of one); or channels, cores, pairing, vc, noc
  Cycles cycles = 0;    ///< of the one
  double rate_gbs = 0;  ///< of the others, all together

  [[nodiscard]] bool by_placement() const { return rate_gbs > 0; }
  /// Whether constants of the machine were chosen by it.
  [[nodiscard]] bool fitted() const;
};
[[nodiscard]] const std::vector<PublishedTransfer>& published_transfers();

/// Throws std::out_of_range where it was not published.
[[nodiscard]] const PublishedTransfer& published_transfer(const Json& point);

/// What a point is called.
[[nodiscard]] std::string words_of_transfer(const Json& point);

[[nodiscard]] std::vector<Axis> published_transfer_axes();

/// Of one core, in the order of the file.
[[nodiscard]] std::vector<std::string> transfer_patterns();

}  // namespace kernbench
