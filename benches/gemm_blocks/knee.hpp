// The knee of time over block size: from where on larger square blocks are hardly worth their TCM.
#pragma once

#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

inline constexpr const char* kAuto = "auto";  ///< the block that is chosen (32.11)
inline constexpr double kKneeWithin = 0.05;   ///< of the fastest square block's time

/// Whether a block "256x256x256" has three equal sides.
[[nodiscard]] bool is_square(const Json& block);

/// A row of point {"derived": "knee"}: the smallest square block of those that take at most kKneeWithin longer than the
/// fastest one, with its time, TCM, and the fastest one's time; none where no square block has a good row.
[[nodiscard]] std::vector<Row> knee_of_squares(const Results& simulated);

}  // namespace kernbench
