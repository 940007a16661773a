// How far predictions of operators and copies are from what was measured (adr/0053): rows derived from a run's.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// What a row is of: "gelu 1 128 4096 bf16 warm".
[[nodiscard]] std::string case_words(const Row& row);

/// As error_rows(): a row an operation, its dtypes and states of the L2; all but cross-entropy; a row a kind of copy.
[[nodiscard]] std::vector<Row> case_error_rows(const Results& predicted);

}  // namespace kernbench
