// The GEMMs whose calls vary most: the shortest and the longest call, when they ran, what communication ran beside
// them, and what made the longest long (ADR-0040, 40.18, 40.19).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/traces/tables/causes.hpp"
#include "benches/traces/tables/gemms.hpp"

namespace kernbench::traces {

inline constexpr std::size_t kTopRows = 5;  ///< a file, where --top does not say

/// A row of `gemms` whose calls vary.
struct VaryingGemm {
  const PlacedTrace* placed = nullptr;
  std::size_t place = 0;  ///< within its file, from 1
  GemmGroup group;
  GemmCall shortest;
  GemmCall longest;

  [[nodiscard]] TracePs difference() const { return longest.time - shortest.time; }
};

/// Of each file the `top` rows of largest difference, then all by difference; those without known shape behind all
/// others, equal ones in the order of files and rows. The traces have to outlive them.
[[nodiscard]] std::vector<VaryingGemm> varying_gemms(const std::vector<PlacedTrace>& traces,
                                                     const TraceSelection& selection, std::size_t top);

/// A row each.
[[nodiscard]] TraceTable top_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection,
                                   std::size_t top);

/// Which calls `causes_table` has a row of.
enum class CausedCalls { kLongest, kAll };

/// A row for the longest call, or for every call, of each row of `top_table`.
[[nodiscard]] TraceTable causes_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection,
                                      std::size_t top, CausedCalls calls);

/// GEMM kernels beside communication and without: a row a point, operator, shape and kernel.
[[nodiscard]] TraceTable slowdowns_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection);

}  // namespace kernbench::traces
