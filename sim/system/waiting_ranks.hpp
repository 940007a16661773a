// Who waits for what in a launch that cannot go on: a line for the ranks that are alike (adr/0028, 28.23).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernbench {

/// A rank that has not ended.
struct WaitingRank {
  std::int32_t rank = 0;
  std::string pe;     ///< its name
  std::string what;   ///< "since 2 ns in recv from rank 0 on channel 0"; empty: it waits for nobody
  std::string alike;  ///< the same as each of several ranks says it of itself: "since 2 ns in recv from rank r - 1 ..."
};

/// "rank 1", "ranks 0, 2-7"; `ranks` in their order.
[[nodiscard]] std::string name_ranks(const std::vector<std::int32_t>& ranks);

/// Rank `other` of `size` as `rank` would call it: "rank r + 1", "rank r - 2".
[[nodiscard]] std::string name_relative(std::int32_t other, std::int32_t rank, std::int32_t size);

/// A line, which begins with the launch's name, for each group of ranks.
[[nodiscard]] std::string describe_waiting(const std::string& launch, const std::vector<WaitingRank>& ranks);

/// The first lines of a text, and how many more there are.
[[nodiscard]] std::string first_lines(const std::string& text);

}  // namespace kernbench
