// Machine keys as axes of a bench: a row for each point on each machine (adr/0035-what-if.md).
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// The machine with the point's keys, which may contradict each other.
[[nodiscard]] MachineSpec with_keys_of(const Point& point, MachineSpec machine);

/// The machine with the point's keys; its other fields are none of the machine's. Throws CapacityError where there is
/// no such machine.
[[nodiscard]] MachineSpec machine_of(const Point& point, MachineSpec machine);

/// The bench with these axes before its own, each point on its machine. Its name ends in "-sweep"; it has the figure of
/// a sweep, and none of its own. Throws ConfigError for more combinations than can be listed.
[[nodiscard]] Bench swept(const Bench& bench, const std::vector<Axis>& axes);

/// Throws ConfigError for a bench of more combinations than can be listed.
void require_listable(const Bench& bench);

/// With the figure of a sweep over its axes; of a single row with a ledger where its time went.
[[nodiscard]] Bench with_sweep_figure(Bench bench);

/// Whether points of it are what somebody asks for: it has axes that take any values.
[[nodiscard]] bool is_open(const Bench& bench);

/// The bench; an open one without figures of its own with those of a sweep.
[[nodiscard]] Bench with_figures(const Bench& bench);

/// Whether there are rows of points that are none of the bench's: of another sweep.
[[nodiscard]] bool has_other_points(const std::vector<Row>& rows, const Bench& bench);

/// Throws ConfigError for more selected points than a file of results may have.
void require_few(const std::vector<LabelledPoint>& points);

/// Whether its values are those of keys of the machine.
[[nodiscard]] bool is_machine_axis(const Axis& axis);

/// The bench's first metric at a point.
struct PointValue {
  LabelledPoint point;
  double value = 0;
  std::size_t row = 0;  ///< of the results
};

/// Of all points that have it, in the order of the bench.
[[nodiscard]] std::vector<PointValue> values_at_points(const Bench& bench, const Results& simulated);

/// The first metric of the bench over the first axis with several values: a panel for each value of the first such axis
/// that is no key of the machine, a line for each of the others.
[[nodiscard]] Figure sweep_figure(const Bench& bench, const Results& simulated);

}  // namespace kernbench
