// What the ranks' buffers hold while a collective runs, and what they should hold in the end (ADR-0019, 19.12).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/hw/message/message_queue.hpp"
#include "sim/plan/collective/rails.hpp"
#include "sim/plan/collective/reference.hpp"
#include "sim/plan/collective/schedule.hpp"
#include "sim/system/collective/run_collective.hpp"

namespace kernbench {

/// The values of all ranks' buffers. With CollectiveValues::kNone nothing is kept and every operation is free.
class RankValues {
 public:
  /// Of one rail of a collective; values of rails of one seed differ.
  RankValues(const CollectiveSchedule& schedule, CollectiveValues kind, std::uint64_t seed, Rail rail = {});

  /// The rank's buffer lies in a memory, from an address on: its values are put there.
  void place(std::int32_t rank, ValueStore* store, Address base);
  /// What a reduction does.
  [[nodiscard]] AddValues add() const;
  /// Elements [from, from + count) of a rank's buffer replace those from `first` on, now.
  void copy(std::int32_t rank, std::int64_t first, std::int64_t from, std::int64_t count, Picoseconds now);

  /// Compares every rank's result with the reference. Throws SimulationError that names the first wrong element.
  /// Returns the largest |error| / bound.
  [[nodiscard]] double check() const;

 private:
  struct Expected {
    double value = 0;
    double bound = 0;
  };
  [[nodiscard]] std::string rank_text(std::int32_t rank) const;
  /// Of the error of an element of the result.
  [[nodiscard]] double bound(std::int64_t element) const;

  const CollectiveSchedule& schedule_;
  CollectiveValues kind_;
  Rail rail_;
  RankBuffers<float> initial_;
  struct Buffer {
    ValueStore* store = nullptr;
    Address base = 0;
  };
  std::vector<Buffer> buffers_;
};

}  // namespace kernbench
