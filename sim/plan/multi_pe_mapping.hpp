// What each PE of a GEMM over several multiplies, where it does so by a mapping (adr/0032-mappings.md, 32.16).
#pragma once

#include <optional>

#include "sim/plan/multi_pe_gemm.hpp"
#include "sim/plan/multi_pe_gemm_bound.hpp"

namespace kernbench {

struct MappedPart {
  Rect a;             ///< tiles: rows of A in a part of K
  Rect b;             ///< columns of B in that part
  Rect c;             ///< of the PE's group, one PE where K is not split
  int first = 0;      ///< rank of the group's first PE
  MappedGemm mapped;  ///< its product, a problem of its own
};

/// Part `part` of K's tiles, of as many as a group of PEs splits K into.
[[nodiscard]] Interval k_tiles_of(const PlacedGemm& gemm, std::int64_t part);

/// PE `pe`'s part of a GEMM that has a mapping; none where its group has no part of C. Throws ConfigError where the
/// mapping is none of it.
[[nodiscard]] std::optional<MappedPart> mapped_part(const PlacedGemm& gemm, int pe);

/// Throws ConfigError where these PEs cannot have this mapping: K in more parts than it has tiles, parts that do not
/// divide the PEs, C that is not cut by rows or columns, or epilogues, where K is split.
void check_mapped(const PlacedGemm& gemm);

/// Gives sums that go to HBM their place in each partition, after all matrices. Throws CapacityError where there is
/// none.
void place_sums(PlacedGemm& gemm, const MachineSpec& machine);

/// What the PEs have to do at least.
[[nodiscard]] MultiPeWork mapped_work(const PlacedGemm& gemm, const MachineSpec& machine);

}  // namespace kernbench
