// What merging and checking have to agree on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernbench::traces {

/// Track, event and argument of a Perfetto file that hold what a merge says of its ranks.
inline constexpr const char* kMergeName = "kernbench trace merge";
inline constexpr const char* kMergeArgument = "merge";
inline constexpr const char* kMergeSchema = "kernbench.trace-merge/1";

/// "[R3] "
[[nodiscard]] std::string rank_prefix(std::int64_t rank);
/// The rank of a process of that name.
[[nodiscard]] std::optional<std::int64_t> rank_of_process(std::string_view name);

}  // namespace kernbench::traces
