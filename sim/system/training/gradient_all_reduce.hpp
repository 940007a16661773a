// The all_reduces of a step, one bucket after the other on each rank (adr/0041, 41.6).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sim/system/collective/rail_launches.hpp"
#include "sim/system/training/training_step_run.hpp"

namespace kernbench {

/// The all_reduce of one bucket: on a rank it begins when it is ready there, launched, and the one before it has ended.
class GradientAllReduce : private RankGates {
 public:
  /// `earliest`: by rank, when it may begin as far as its launch goes. `before` is the one before it, or null.
  GradientAllReduce(System& system, const PlannedTraining& training, const GradientBucket& bucket,
                    std::vector<Picoseconds> earliest, GradientAllReduce* before);

  [[nodiscard]] std::vector<Launch*> launches() const { return rails_.launches(); }
  /// One more gradient of the bucket is there, now.
  void add_gradient(std::int32_t rank);
  [[nodiscard]] WorkTimes times(std::int32_t rank) const;

 private:
  struct Rank {
    std::int64_t gradients_left = 0;
    std::int64_t threads_left = 0;
    Picoseconds earliest;
    std::optional<Picoseconds> start;
    std::optional<Picoseconds> end;
  };

  Completion& opened(std::int32_t rank) override { return gates_.at(static_cast<std::size_t>(rank)); }
  void thread_ended(std::int32_t rank) override;
  /// Opens the rank's gate where nothing is left to wait for.
  void try_to_begin(std::int32_t rank);
  void ended(std::int32_t rank, Picoseconds at);
  Rank& of(std::int32_t rank) { return ranks_.at(static_cast<std::size_t>(rank)); }

  Calendar& calendar_;
  GradientAllReduce* before_;
  GradientAllReduce* after_ = nullptr;
  std::vector<Rank> ranks_;
  std::deque<Completion> gates_;
  RailLaunches rails_;
};

}  // namespace kernbench
