// A simulation that ends in a row, as work for a child (isolated.hpp).
#pragma once

#include <functional>

#include "benches/experiments/run/isolated.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// What the child does.
[[nodiscard]] Work row_work(std::function<Row()> simulate);

struct RowAnswer {
  Row row;                 ///< status "failed" with the reason where the child did not get that far
  double cpu_s = 0;        ///< that the simulation took
  bool over_time = false;  ///< the row failed because it passed its limit of simulated time
};
/// What a child with row_work answered. Throws ConfigError for wrong input that was found only there.
[[nodiscard]] RowAnswer row_answer(const Outcome& outcome);

}  // namespace kernbench
