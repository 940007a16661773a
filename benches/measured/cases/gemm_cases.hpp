// The GEMMs that a GPU is measured on, in the order of importance.
#pragma once

#include <string>
#include <vector>

#include "benches/measured/cases/planned_case.hpp"
#include "benches/measured/cases/suites.hpp"

namespace kernbench {

/// Points m, k, n, dtype, backend, l2 of the part "gemm": suite by suite (milestone, squares, grid27, skinny, ragged,
/// universal, grid64, then any other), each shape once, in the first suite that has it; each with every dtype, warm and
/// flushed. Warm cases of shapes of the power suites have a power window. `smoke`: three small shapes.
/// Throws ConfigError for a malformed part.
[[nodiscard]] std::vector<PlannedCase> gemm_cases(const Suites& suites, const std::string& backend, bool smoke);

/// The largest ||out - ref|| / ||ref|| that counts as right for a product over k of standard normal numbers whose
/// inputs are compared as they were rounded: room for the accumulation in fp32 (tf32: for 10-bit mantissas of the
/// products' factors) and for rounding the output. Throws std::invalid_argument for an unknown dtype.
[[nodiscard]] double gemm_tolerance(const std::string& dtype, std::int64_t k);

}  // namespace kernbench
