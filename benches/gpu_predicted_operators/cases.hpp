// Operators and copies that were measured on GPUs: the committed rows of benches/reference, as points (adr/0053).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/harness/bench.hpp"

namespace kernbench {

/// One axis, a value a measured row: PyTorch's operators, and every copy.
[[nodiscard]] std::vector<Axis> operator_case_axes();

struct MeasuredCase {
  double time_ns = 0;
  std::optional<double> roofline_ns;  ///< of the data sheet; nothing for copies from and to the host
  bool noisy = false;
};
/// On this device; nothing where that point is no good row of it.
[[nodiscard]] std::optional<MeasuredCase> measured_case(const std::string& device, const Point& point);

/// Whether numbers of the machine's file were fitted to the row (53.9).
[[nodiscard]] bool is_fitted_copy(const Point& point);

}  // namespace kernbench
