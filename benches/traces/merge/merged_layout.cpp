#include "benches/traces/merge/merged_layout.hpp"

#include <charconv>
#include <system_error>

namespace kernbench::traces {

std::string rank_prefix(std::int64_t rank) { return "[R" + std::to_string(rank) + "] "; }

std::optional<std::int64_t> rank_of_process(std::string_view name) {
  if (!name.starts_with("[R")) return std::nullopt;
  std::int64_t rank = 0;
  const auto [rest, error] = std::from_chars(name.data() + 2, name.data() + name.size(), rank);
  if (error != std::errc{} || rest == name.data() + name.size() || *rest != ']') return std::nullopt;
  return rank;
}

}  // namespace kernbench::traces
