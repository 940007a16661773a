// How far predictions of operators and copies are from what was measured (adr/0053): rows derived from a run's.
#pragma once

#include <vector>

#include "benches/harness/results/results.hpp"

namespace kernbench {

/// Whether a row counts: it is good and nothing was fitted to it.
[[nodiscard]] bool is_counted_case(const Row& row);

/// {"derived": "error", "of": "gelu, bf16"} with rows, mean, median and 90 % quantile of |error|, bias, the worst, and
/// the roofline's mean on the same rows; and how many rows are left out as fitted.
[[nodiscard]] std::vector<Row> case_error_rows(const Results& predicted);

}  // namespace kernbench
