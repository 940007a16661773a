// A collective on a machine, whole: a launch for each of its lanes, one where a rank is one PE (adr/0019, 19.19).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/plan/collective/lanes.hpp"
#include "sim/system/collective/collective_launch.hpp"
#include "sim/system/collective/rank_values.hpp"

namespace kernbench {

class LaneLaunches {
 public:
  /// `reserved`: bytes of each TCM that others take.
  LaneLaunches(CollectiveLanes lanes, CollectiveValues kind, std::uint64_t seed, Bytes reserved = 0);

  /// In the order in which they start.
  [[nodiscard]] std::vector<Launch*> launches() const;
  /// Compares the results of all lanes, as RankValues::check.
  [[nodiscard]] double check() const;
  /// Of the last lane.
  [[nodiscard]] Picoseconds end() const;
  /// By phase, of the last lane in it.
  [[nodiscard]] std::vector<Picoseconds> phase_ends() const;
  /// Of a lane at least.
  [[nodiscard]] bool in_hbm() const;

 private:
  CollectiveLanes lanes_;
  std::vector<std::unique_ptr<RankValues>> values_;
  std::vector<std::unique_ptr<CollectiveLaunch>> launches_;
};

}  // namespace kernbench
