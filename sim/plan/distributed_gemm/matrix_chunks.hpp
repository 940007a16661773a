// A blocked matrix in parts that go through TCM one by one (adr/0044).
#pragma once

#include <vector>

#include "sim/plan/matrix_layout.hpp"

namespace kernbench {

/// Parts of at most `most` bytes, of one tile at least, each of them one run of bytes: rows of tiles, or part of a row.
/// None where the matrix has no elements. `matrix` is blocked.
[[nodiscard]] std::vector<MatrixLayout> chunks_of(const MatrixLayout& matrix, Bytes most);

}  // namespace kernbench
