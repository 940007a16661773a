// Operators and copies that were measured on GPUs: the committed rows of benches/reference, as points (adr/0053).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// One axis, a value a measured row: PyTorch's operators, and every copy.
[[nodiscard]] std::vector<Axis> operator_case_axes();

/// The row of this device; nullptr where that point is no good one of it.
[[nodiscard]] const Row* measured_case(const std::string& device, const Point& point);

/// Of a measured row, by the data sheet; nothing for copies from and to the host.
[[nodiscard]] std::optional<double> roofline_of(const std::string& device, const Row& measured);

/// Whether numbers of the machine's file were fitted to the row (53.9).
[[nodiscard]] bool is_fitted_copy(const Point& point);

}  // namespace kernbench
