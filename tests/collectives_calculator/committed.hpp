// The committed rows of milestone-1h-ccl beside what the calculator makes of their points.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace calc {

/// A row is taken where this is true of its scale ("die", "package", "system") and its bytes.
using Wanted = std::function<bool(const std::string& scale, std::int64_t bytes)>;

struct Compared {
  int rows = 0;
  std::string different;  ///< a line for each row that is not to the picosecond, or whose counts differ
};

Compared compare_committed(const Wanted& wanted);

}  // namespace calc
