// Products that were measured beside a collective: the committed rows of benches/reference, as points (adr/0058).
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Product, collective and channels of the rows of any device.
[[nodiscard]] std::vector<Axis> beside_axes();
/// Whether a combination was measured anywhere.
[[nodiscard]] bool was_measured_beside(const Point& point);
/// The device's row; nullptr where that point is no good row of it.
[[nodiscard]] const Row* measured_beside(const std::string& device, const Point& point);

}  // namespace kernbench
