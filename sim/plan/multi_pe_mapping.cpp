#include "sim/plan/multi_pe_mapping.hpp"

#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/partition_allocator.hpp"

namespace kernbench {

namespace {

Interval both(const Interval& one, const Interval& other) {
  return {std::min(one.begin, other.begin), std::max(one.end, other.end)};
}

/// The parts of C that PEs `first` ... `first + size - 1` have: beside each other, since they follow one another.
Rect tiles_of_group(const PlacedMatrix& c, int first, int size) {
  Rect all;
  for (int pe = first; pe < first + size; ++pe) {
    const Rect has = c.tiles(pe);
    if (has.empty()) continue;
    all = all.empty() ? has : Rect{both(all.rows, has.rows), both(all.columns, has.columns)};
  }
  return all;
}

GemmMapping cut_to(GemmMapping mapping, const GemmProblem& problem) {
  TileShape& block = mapping.block;
  block = {std::min(block.m, problem.m), std::min(block.k, problem.k), std::min(block.n, problem.n)};
  return mapping;
}

}  // namespace

Interval k_tiles_of(const PlacedGemm& gemm, std::int64_t part) {
  return piece_of(gemm.a.shape().column_tiles(), gemm.mapping->split_k, part);
}

std::optional<MappedPart> mapped_part(const PlacedGemm& gemm, int pe) {
  const MultiPeMapping& mapping = *gemm.mapping;
  const auto size = static_cast<int>(mapping.split_k);
  const int first = pe / size * size;
  const Rect c = tiles_of_group(gemm.c, first, size);
  if (c.empty()) return std::nullopt;
  const Interval k = k_tiles_of(gemm, pe - first);
  const Rect a{c.rows, k};
  const Rect b{k, c.columns};
  GemmProblem problem = gemm.problem;
  const MatrixLayout rows = gemm.a.piece(a);
  problem.m = rows.rows;
  problem.k = rows.columns;
  problem.n = gemm.b.piece(b).columns;
  return MappedPart{a, b, c, first, MappedGemm(problem, cut_to(mapping.local, problem))};
}

void check_mapped(const PlacedGemm& gemm) {
  const std::int64_t parts = gemm.mapping->split_k;
  const std::int64_t k_tiles = gemm.a.shape().column_tiles();
  const std::string split = "mapping: split_k " + std::to_string(parts);
  if (parts > gemm.pes || gemm.pes % parts != 0) {
    throw ConfigError(split + ": expected a number that divides the " + std::to_string(gemm.pes) + " PEs");
  }
  if (k_tiles_of(gemm, parts - 1).empty()) {
    throw ConfigError(split + ": expected a number that cuts the " + std::to_string(k_tiles) +
                      " tiles along K into parts of which none is empty");
  }
  if (parts == 1) return;
  if (gemm.c.policy() != PlacementPolicy::kRows && gemm.c.policy() != PlacementPolicy::kColumns) {
    throw ConfigError(split + ": expected --place c=rows or c=columns");
  }
  if (!gemm.problem.epilogues.empty()) throw ConfigError(split + ": an epilogue needs whole sums; expected none");
}

void place_sums(PlacedGemm& gemm, const MachineSpec& machine) {
  Bytes most = 0;
  for (int pe = 0; pe < gemm.pes; ++pe) {
    const std::optional<MappedPart> part = mapped_part(gemm, pe);
    if (!part || !part->mapped.sums_in_hbm()) continue;
    most = std::max(most, part->mapped.sums_layout(machine.die.hbm.burst).footprint());
  }
  if (most == 0) return;
  PartitionAllocator partition(machine.die, gemm.problem.layout);
  partition.place(gemm.bytes_of_pe);
  for (int pe = 0; pe < (machine.die.hbm.shared() ? gemm.pes : 1); ++pe) gemm.kept.push_back(partition.place(most));
  partition.check_capacity();
  gemm.bytes_of_pe = partition.used();
}

MultiPeWork mapped_work(const PlacedGemm& gemm, const MachineSpec& machine) {
  MultiPeWork work(gemm.pes);
  const auto size = static_cast<int>(gemm.mapping->split_k);
  for (int pe = 0; pe < gemm.pes; ++pe) {
    const std::optional<MappedPart> part = mapped_part(gemm, pe);
    if (!part) continue;
    const MappedGemm& mapped = part->mapped;
    const std::int64_t uses_of_b = part->a.rows.size();
    work.multiplies(pe, work_of_array(mapped, machine.pe),
                    conversion_cycles(gemm.b.piece(part->b), uses_of_b, gemm.problem.dtype, machine.pe.vector));
    work.reads(pe, gemm.a, part->a, mapped.times_a());
    work.reads(pe, gemm.b, part->b, mapped.times_b());
    work.reads(pe, pe, mapped.bytes_of_sum_loads());
    work.writes(pe, mapped.written());
    work.takes_tcm(mapped.tcm(machine));
    const int rank = pe - part->first;
    for (int step = 0; step + 1 < size; ++step) {  // each piece is read to be sent, and what comes is added in HBM
      const MatrixLayout& goes = gemm.c.part(part->first + (rank + 2 * size - 1 - step) % size);
      const Bytes comes = gemm.c.part(part->first + (rank + 2 * size - 2 - step) % size).footprint();
      work.reads(pe, pe, goes.footprint());
      work.reads(pe, pe, comes);
      work.writes(pe, comes);
      work.sends(pe, part->first + (rank + 1) % size, goes);
    }
  }
  return work;
}

}  // namespace kernbench
