// A simulated run as a result row: the metrics every GEMM bench reports (formulas: docs/results.md).
#pragma once

#include "benches/harness/results/results.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/system/run_result.hpp"

namespace kernbench {

/// C (m x n) = A (m x k) * B (k x n), in elements.
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
};

/// Times in ns, ratios as fractions of one. The point is the caller's to fill in. Throws std::logic_error for a run
/// whose PE or composite window is empty.
Row row_from_run(const RunResult& run, const MachineSpec& machine, const GemmShape& shape);

}  // namespace kernbench
