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
  struct Settings {
    CollectiveValues values = CollectiveValues::kNone;
    std::uint64_t seed = 1;
    Bytes reserved = 0;            ///< bytes of each TCM that others take
    std::int32_t pes_of_rank = 0;  ///< 0: as many as there are lanes
    RankGates* gates = nullptr;    ///< of all lanes
  };
  LaneLaunches(CollectiveLanes lanes, const Settings& settings);

  /// Of a rank, over all lanes, that have a step.
  [[nodiscard]] std::int64_t threads(std::int32_t rank) const;
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
