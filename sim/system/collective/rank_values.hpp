// What the ranks' buffers hold while a collective runs, and what they should hold in the end (ADR-0019, 19.12).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/collective/reference.hpp"
#include "sim/plan/collective/schedule.hpp"
#include "sim/system/collective/run_collective.hpp"

namespace kernbench {

/// The buffers of all ranks. With CollectiveValues::kNone nothing is kept and every operation is free.
class RankValues {
 public:
  RankValues(const CollectiveSchedule& schedule, CollectiveValues kind, std::uint64_t seed);

  /// What a send takes along: elements [first, first + count) as they are now.
  [[nodiscard]] std::vector<float> taken(std::int32_t rank, std::int64_t first, std::int64_t count) const;
  void replace(std::int32_t rank, std::int64_t first, const std::vector<float>& values);
  void add(std::int32_t rank, std::int64_t first, const std::vector<float>& values);

  /// Compares every rank's result with the reference. Throws SimulationError that names the first wrong element.
  /// Returns the largest |error| / bound.
  [[nodiscard]] double check() const;

 private:
  struct Expected {
    double value = 0;
    double bound = 0;
  };
  /// Of the error of an element of the result.
  [[nodiscard]] double bound(std::int64_t element) const;

  const CollectiveSchedule& schedule_;
  CollectiveValues kind_;
  RankBuffers<float> initial_;
  RankBuffers<float> buffers_;
};

}  // namespace kernbench
