// Sizes as `kernbench sim collective` takes them: one, a list, or a range as in nccl-tests.
#pragma once

#include <string>
#include <vector>

#include "sim/base/units.hpp"

namespace kernbench {

/// "64KiB", "16B,1KiB,1MiB", "16B:64MiB:x4" (multiplied as long as it is no larger than the end), "1KiB:8KiB:+1KiB".
/// Throws ConfigError that shows the forms, for sizes that are no whole number of elements, for a range that goes down
/// or does not move, and for more than 1000 sizes.
[[nodiscard]] std::vector<Bytes> parse_sizes(const std::string& text);

}  // namespace kernbench
