// The values of a transfer on their way: read packet by packet when the packet leaves, written when it lands
// (adr/0028).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/engine/timed_actions.hpp"
#include "sim/hw/values/value_store.hpp"
#include "sim/plan/block.hpp"

namespace kernbench {

/// What moves or changes values of a machine does it here, so that it is done in the order in which it became known.
using ValueClock = TimedActions;

/// Where a cargo comes from or goes to: blocks of a memory, element by element in their order. Without a store it stays
/// with the cargo.
struct CargoEnd {
  ValueStore* store = nullptr;
  std::vector<Block> blocks;
};

class Cargo : public std::enable_shared_from_this<Cargo> {
 public:
  /// Opens both ends for `who` now (ValueStore::open). Packets are named by their bursts of `burst` bytes in
  /// `addressed`, which has the elements of both ends in their order.
  Cargo(ValueClock& clock, CargoEnd from, CargoEnd to, std::vector<Block> addressed, Bytes burst,
        const std::string& who);
  Cargo(const Cargo&) = delete;
  Cargo& operator=(const Cargo&) = delete;
  ~Cargo() = default;

  /// A packet is read, or written, at `at`.
  void leaves(const Packet& packet, Picoseconds at);
  void lands(const Packet& packet, Picoseconds at);

  [[nodiscard]] const std::vector<float>& values() const { return values_; }
  std::vector<float>& values() { return values_; }

 private:
  /// Elements [first, first + count) in the order of the blocks.
  struct Run {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  /// A list of blocks by element.
  struct Elements {
    std::vector<Block> blocks;
    std::vector<std::int64_t> before;  ///< elements of the blocks in front of each, and of all of them
    explicit Elements(std::vector<Block> list);
    /// Calls `visit(element, row, at, dtype)` for each of `count` elements from `first` on, element `at` of a row that
    /// begins at address `row`.
    template <class Visit>
    void each(std::int64_t first, std::int64_t count, Visit visit) const;
  };

  /// What is left of an end: when the last element's time is known, the access is closed for then.
  struct End {
    ValueStore* store = nullptr;
    Elements elements;
    std::vector<ValueStore::Open> open;
    std::int64_t left = 0;
    Picoseconds until;
    void announce(const std::vector<Run>& runs, Picoseconds at);
  };

  [[nodiscard]] End opened(CargoEnd end, bool writes, const std::string& who) const;
  [[nodiscard]] std::vector<Run> elements_of(const Packet& packet) const;
  void take(const std::vector<Run>& runs);
  void put(const std::vector<Run>& runs);

  ValueClock& clock_;
  Elements addressed_;
  Bytes burst_;
  End from_;
  End to_;
  std::vector<float> values_;
};

}  // namespace kernbench
