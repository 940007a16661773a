// Times over sizes as straight lines: time = alpha + beta x bytes, a line a regime (18.11).
#pragma once

#include <vector>

#include "sim/base/units.hpp"

namespace kernbench {

struct SizeAndTime {
  Bytes bytes = 0;
  double time_ns = 0;  ///< more than 0
};

/// One line, for sizes from first_bytes up to the next segment's first_bytes.
struct AlphaBetaSegment {
  Bytes first_bytes = 0;
  Bytes last_bytes = 0;  ///< the largest size that it was fitted to
  double alpha_ns = 0;   ///< 0 or more; 0: time is proportional to size
  double beta_ns_per_byte = 0;
  [[nodiscard]] double time_ns(Bytes bytes) const { return alpha_ns + beta_ns_per_byte * static_cast<double>(bytes); }
};

struct AlphaBetaFit {
  std::vector<AlphaBetaSegment> segments;  ///< by size; the breakpoints are their first_bytes but the first
  double rms_relative_error = 0;           ///< root of the mean of ((fitted - time) / time)^2 over all points
  double max_relative_error = 0;
};

/// The lines that make the sum of the squares of the relative errors least, in any order of the points; alpha and beta
/// are never negative: a start-up that takes less than no time is a regime that changed between two sizes. Where there
/// are several lines each has three points or more, or goes through the origin and has two. As few lines as do: another
/// one is added while some point is off by 1 % or more, there are fewer than four, and it makes the RMS error smaller
/// by 20 % or more. No point: no segment. One size: beta 0.
[[nodiscard]] AlphaBetaFit fit_alpha_beta(std::vector<SizeAndTime> points);

}  // namespace kernbench
