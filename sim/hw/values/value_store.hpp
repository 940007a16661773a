// What a memory holds, in runs that carry values: elements by the address of their first byte, and who is at work on
// which of them.
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
  [[nodiscard]] float get(Address address) const;
  void set(Address address, float value);

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

  void check(Address address) const;
  void split();
  void refuse_races(const Block& block, bool writes, const std::string& who, Picoseconds now, Open ticket);

  std::string name_;
  // One for every second byte, until an element of a single byte lies between: then one for each.
  std::vector<float> values_;
  bool every_byte_ = false;
  std::list<Access> open_;
  Open next_ = 0;
};

/// True where two blocks of one memory have a byte in common.
[[nodiscard]] bool overlap(const Block& a, const Block& b);

}  // namespace kernbench
