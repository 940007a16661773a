// What was measured on GPUs and can be predicted: the committed rows of benches/reference, as points (adr/0052).
#pragma once

#include <string>
#include <vector>

#include "benches/measured/predictor/gemm_rows.hpp"
#include "benches/measured/reference/device.hpp"
#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Points of the bench: every product that cuBLASLt was measured with on any device, by shape, dtype and state of the
/// L2.
[[nodiscard]] std::vector<Axis> measured_axes();
/// Whether a combination was measured anywhere.
[[nodiscard]] bool was_measured(const Point& point);

/// The row of this device; nullptr where that point is no good one of it.
[[nodiscard]] const Row* measured_on(const std::string& device, const Point& point);

/// The card of a device. Throws ConfigError where it is unknown.
[[nodiscard]] Device measured_device(const std::string& slug);

/// The products of the device as a learned predictor takes them: the rows of cuBLASLt alone.
[[nodiscard]] GemmRows measured_products(const std::string& device);

}  // namespace kernbench
