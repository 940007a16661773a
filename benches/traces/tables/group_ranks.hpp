// Ranks of a process group in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/traces/tables/collective_matching.hpp"

namespace kernbench::traces {

/// "0, 2 to 5": ascending numbers, ranges of three and more as such.
[[nodiscard]] std::string ranks_in_words(const std::vector<std::int64_t>& ranks);

/// Of the ranks of a run of that size those that are not in `present`; none where it is too large to name them.
[[nodiscard]] std::vector<std::int64_t> ranks_without(const std::vector<std::int64_t>& present, std::int64_t size);

/// Ranks of the group that nothing is seen of: "0, 3"; "2 of 4" where it is not known which; "not known"
/// where nothing says how many ranks it has; "" where there are none.
[[nodiscard]] std::string missing_ranks(const CollectiveGroup& group);

}  // namespace kernbench::traces
