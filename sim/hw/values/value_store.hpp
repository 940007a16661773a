// What a memory holds, in runs that carry values: elements by the address of their first byte, or half of one, and who
// is at work on which of them.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/plan/block.hpp"

namespace kernbench {

/// Elements of one memory by address. What nobody has written is a NaN, which no comparison takes for a value.
class ValueStore {
 public:
  explicit ValueStore(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] float get(Address address) const { return at(2 * address); }
  void set(Address address, float value) { put(2 * address, value); }
  /// Of a row that begins at an address.
  [[nodiscard]] float get(Address row, std::int64_t element, Dtype dtype) const {
    return at(2 * row + half_bytes_to(element, dtype));
  }
  void set(Address row, std::int64_t element, Dtype dtype, float value) {
    put(2 * row + half_bytes_to(element, dtype), value);
  }

  /// Somebody reads or writes a block from now on, until `close`. Throws SimulationError where somebody else is at work
  /// on some of it and one of the two writes: without an order between them the outcome is chance (adr/0028).
  using Open = std::int64_t;
  Open open(const Block& block, bool writes, std::string who, Picoseconds now);
  /// It is over at `at`, perhaps ahead of time.
  void close(Open access, Picoseconds at);
  /// The same, done at once. Of what began at this very instant, only that comes before it which was opened before
  /// `ticket` was drawn.
  void touch(const Block& block, bool writes, const std::string& who, Picoseconds now, Open ticket);
  /// For what is announced now, to be done later.
  [[nodiscard]] Open draw_ticket() const { return next_; }

 private:
  struct Access {
    Open number = 0;
    Block block;
    bool writes = false;
    std::string who;
    Picoseconds since;
    Picoseconds until = kForever;
  };

  [[nodiscard]] float at(std::int64_t half_bytes) const;
  void put(std::int64_t half_bytes, float value);
  void check(std::int64_t half_bytes) const;
  void split();
  void refuse_races(const Block& block, bool writes, const std::string& who, Picoseconds now, Open ticket);

  std::string name_;
  // One for every second byte, until an element lies between: then one for each, or for each half of one.
  std::vector<float> values_;
  std::int64_t half_bytes_each_ = 4;
  std::list<Access> open_;
  Open next_ = 0;
};

/// True where two blocks of one memory have a byte in common.
[[nodiscard]] bool overlap(const Block& a, const Block& b);

}  // namespace kernbench
