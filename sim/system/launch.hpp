// What runs on a machine: any number of launches at once, each on PEs of its own choice (adr/0028).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/system/system.hpp"

namespace kernbench {

class Launch {
 public:
  Launch() = default;
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  virtual ~Launch() = default;

  /// Puts everything that starts on the calendar, now.
  virtual void start(System& system) = 0;
  [[nodiscard]] virtual bool done() const = 0;
  /// Of the last of it.
  [[nodiscard]] virtual Picoseconds end() const = 0;
  /// What a message calls it: "the kernel", "the collective".
  [[nodiscard]] virtual std::string what() const = 0;
  /// Of a launch that has not ended: who waits for what, a line each.
  [[nodiscard]] virtual std::string waiting() const { return ""; }
  /// Throws SimulationError where a launch that has ended has left something undone.
  virtual void check_end() const {}

  /// Its number among the launches of the run: of two that ask a unit at one instant the earlier one comes first
  /// (28.1).
  [[nodiscard]] std::int64_t order() const { return order_; }
  void set_order(std::int64_t order) { order_ = order; }

 private:
  std::int64_t order_ = 0;
};

/// Starts the launches in their order, at time 0, and runs the machine until nothing is left to happen. Throws
/// SimulationError, which says who waits for what, where a launch has not ended then, or the limit is passed.
void run_launches(System& system, const std::vector<Launch*>& launches, Picoseconds limit = kForever);

}  // namespace kernbench
