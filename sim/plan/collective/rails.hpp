// A collective whose ranks are several PEs each: PE i of every rank does rail i, which is the same collective on its
// share of the elements (18.13).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

/// One of the rails, `number` of `of`. A rank is the PEs [rank x stride, (rank + 1) x stride); where it has more than
/// rails, the rails' are spread evenly over them (41.3).
struct Rail {
  std::int32_t number = 0;
  std::int32_t of = 1;
  std::int32_t pes_of_rank = 0;  ///< 0: as many as there are rails
  [[nodiscard]] constexpr std::int32_t stride() const { return pes_of_rank == 0 ? of : pes_of_rank; }
  [[nodiscard]] constexpr std::int32_t pe(std::int32_t rank) const {
    return rank * stride() + static_cast<std::int32_t>(static_cast<std::int64_t>(number) * stride() / of);
  }
  /// What messages put behind a rank or a queue: " of rail 3"; nothing where a rank is one PE.
  [[nodiscard]] std::string text() const { return of == 1 ? "" : " of rail " + std::to_string(number); }
};

/// The schedule of each rail; rails of as many elements have one in common.
using CollectiveRails = std::vector<std::shared_ptr<const CollectiveSchedule>>;

/// What is asked of one rail: the collective on that rail's share. Rail 0 has no less than any other.
[[nodiscard]] CollectiveRequest rail_request(const CollectiveRequest& request, Rail rail);

/// How many different schedules the rails have: one to three.
[[nodiscard]] std::int64_t schedules_of_rails(const CollectiveRequest& request, std::int32_t rails);

/// Throws ConfigError as CollectiveAlgorithm::check for the request as a whole.
[[nodiscard]] CollectiveRails generate_rails(const CollectiveAlgorithm& algorithm, const CollectiveRequest& request,
                                             std::int32_t rails);

}  // namespace kernbench
