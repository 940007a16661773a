// A collective on a machine, whole: a launch for each of its rails, one where a rank is one PE (adr/0019, 19.19).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/plan/collective/rails.hpp"
#include "sim/system/collective/collective_launch.hpp"
#include "sim/system/collective/rank_values.hpp"

namespace kernbench {

class RailLaunches {
 public:
  struct Settings {
    CollectiveValues values = CollectiveValues::kNone;
    std::uint64_t seed = 1;
    Bytes reserved = 0;            ///< bytes of each TCM that others take
    std::int32_t pes_of_rank = 0;  ///< 0: as many as there are rails
    RankGates* gates = nullptr;    ///< of all rails
  };
  RailLaunches(CollectiveRails rails, const Settings& settings);

  /// Of a rank, over all rails, that have a step.
  [[nodiscard]] std::int64_t threads(std::int32_t rank) const;
  /// In the order in which they start.
  [[nodiscard]] std::vector<Launch*> launches() const;
  /// Compares the results of all rails, as RankValues::check.
  [[nodiscard]] double check() const;
  /// Of the last rail.
  [[nodiscard]] Picoseconds end() const;
  /// By phase, of the last rail in it.
  [[nodiscard]] std::vector<Picoseconds> phase_ends() const;
  /// Of a rail at least.
  [[nodiscard]] bool in_hbm() const;

 private:
  CollectiveRails rails_;
  std::vector<std::unique_ptr<RankValues>> values_;
  std::vector<std::unique_ptr<CollectiveLaunch>> launches_;
};

}  // namespace kernbench
