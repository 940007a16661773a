// The machines, and choices of a bench, among which a search looks (adr/0038-search.md).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benches/experiments/search/expression.hpp"
#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Which value of each axis.
using Choice = std::vector<std::size_t>;

class Space {
 public:
  /// The axes of --vary, with what --link says: keys of the machine as key_axes() takes them, or axes of the bench,
  /// which has the values that are asked for (with_own_axes). Of the points, those with the values that a choice has of
  /// the bench's axes are run. Throws ConfigError.
  Space(const MachineSpec& machine, const Bench& bench, const std::vector<LabelledPoint>& points,
        const std::vector<std::string>& varied, const std::vector<std::string>& links,
        std::vector<Condition> conditions);

  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  /// How many choices there are, whether they are machines or not.
  [[nodiscard]] double size() const;
  /// For each axis the value that the machine has, else the next smaller one, else the first; the first of an axis of
  /// the bench.
  [[nodiscard]] Choice as_it_is() const;
  /// What the machine itself has, among the values or not; "" of an axis of the bench.
  [[nodiscard]] std::string own_value(std::size_t axis) const;
  /// What keeps the choice from being allowed; "" where it is.
  [[nodiscard]] std::string why_not(const Choice& choice) const;
  /// Whether there is such a machine, and all conditions hold of it.
  [[nodiscard]] bool allows(const Choice& choice) const;
  /// Throws ConfigError where there is no such machine.
  [[nodiscard]] MachineSpec machine(const Choice& choice) const;
  /// Which of the points, in their order.
  [[nodiscard]] std::vector<std::size_t> points(const Choice& choice) const;
  /// "die.hbm.bandwidth=512 GB/s", "variant=ref_ref": for each axis.
  [[nodiscard]] std::vector<std::string> settings(const Choice& choice) const;

 private:
  [[nodiscard]] bool is_of_bench(std::size_t axis) const { return of_bench_[axis] != kNone; }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  const MachineSpec& machine_;
  const std::vector<LabelledPoint>& all_;
  std::vector<Axis> axes_;
  std::vector<std::size_t> of_bench_;  ///< which axis of the bench it is, or kNone
  std::vector<Condition> conditions_;
};

}  // namespace kernbench
