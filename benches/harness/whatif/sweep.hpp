// Machine keys as axes of a bench: a row for each point on each machine (adr/0035-what-if.md).
#pragma once

#include <string>
#include <vector>

#include "benches/harness/bench.hpp"

namespace kernbench {

/// The machine with the point's keys; its other fields are none of the machine's. Throws CapacityError where there is
/// no such machine.
[[nodiscard]] MachineSpec machine_of(const Point& point, MachineSpec machine);

/// The bench with these axes before its own, each point on its machine. Its name ends in "-sweep"; it has the figure of
/// a sweep, and none of its own. Throws ConfigError for more combinations than can be listed.
[[nodiscard]] Bench swept(const Bench& bench, const std::vector<Axis>& axes);

/// Throws ConfigError for more selected points than a file of results may have.
void require_few(const std::vector<LabelledPoint>& points);

/// The bench's first metric at a point.
struct PointValue {
  LabelledPoint point;
  double value = 0;
};

/// Of all points that have it, in the order of the bench.
[[nodiscard]] std::vector<PointValue> values_at_points(const Bench& bench, const Results& simulated);

/// The first metric of the bench over the first axis: a panel for each value of the bench's own first axis, a line for
/// each of the others.
[[nodiscard]] Figure sweep_figure(const Bench& bench, const Results& simulated);

}  // namespace kernbench
