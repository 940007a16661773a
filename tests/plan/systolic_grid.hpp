// Systolic arrays cell by cell and cycle by cycle: registers, skewed operands, and nothing known of any formula. What a
// controller may do next it sees from the cells.
#pragma once

#include <cstdint>
#include <vector>

namespace kernbench::grid {

using Matrix = std::vector<std::vector<std::int64_t>>;

/// A product of `a` (rows x inner) and `b` (inner x columns), which the array takes at once.
struct Fold {
  Matrix a;
  Matrix b;
  std::int64_t fetched = 0;  ///< the cycle from which its operands are there
  bool leaves = true;        ///< false: an output-stationary array goes on with the fold that follows
};

struct Done {
  std::int64_t taken = 0;  ///< cycles until the array could take another fold
  std::int64_t left = 0;   ///< cycles until the last result was out
};

struct Outcome {
  std::vector<Done> folds;
  std::vector<Matrix> results;  ///< as they left; of a fold that stayed, nothing
};

/// Rows of cells are along the product's rows: A comes from the left, B from above, results leave at the bottom.
Outcome output_stationary(std::int64_t rows, std::int64_t columns, const std::vector<Fold>& folds);

/// Rows of cells are along the inner dimension: weights come from above, A from the left, sums leave at the bottom.
/// The next weights come when all cells have done with the last ones.
Outcome weight_stationary(std::int64_t rows, std::int64_t columns, const std::vector<Fold>& folds);

/// The same with a second weight in every cell, where the next one waits for the first row of its fold.
Outcome double_buffered(std::int64_t rows, std::int64_t columns, const std::vector<Fold>& folds);

}  // namespace kernbench::grid
