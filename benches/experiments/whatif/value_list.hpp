// Values of an axis as a command line has them: "16,32,64", "128..1024*2 GB/s" (adr/0035-what-if.md, 35.8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {

/// Each value of a list or a range, with its unit; of what is no quantity the items of a list. Errors begin with
/// `place` and name the axis: ConfigError for a range that is none, and for more than 1000 values.
[[nodiscard]] std::vector<std::string> values_in(const std::string& place, const std::string& axis,
                                                 const std::string& text, std::optional<Dimension> dimension);

/// Of an open axis. Where values have commas of their own, semicolons are between several, or commas where its reader
/// says that there are several (SeveralValues).
[[nodiscard]] std::vector<std::string> values_in(const std::string& place, const std::string& axis,
                                                 const std::string& text, const OpenAxis& open);

}  // namespace kernbench
