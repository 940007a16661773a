// Random mappings for properties.
#pragma once

#include "sim/plan/gemm_mapping.hpp"
#include "tests/plan/random_problem.hpp"

namespace kernbench {

/// Whole tiles, often few of them, or the whole dimension.
inline std::int64_t random_block(std::int64_t size, std::int64_t tile) {
  const std::int64_t tiles = size / tile;
  if (tiles == 0 || *rc::gen::inRange(0, 4) == 0) return size;
  return tile * *rc::gen::inRange<std::int64_t>(1, tiles + 1);
}

inline GemmMapping random_mapping(const GemmProblem& problem, const TileShape& tile) {
  GemmMapping mapping{.tile = tile};
  mapping.block = {random_block(problem.m, tile.m), random_block(problem.k, tile.k), random_block(problem.n, tile.n)};
  mapping.order = *rc::gen::element(LoopOrder::kMnk, LoopOrder::kMkn, LoopOrder::kNmk, LoopOrder::kNkm, LoopOrder::kKmn,
                                    LoopOrder::kKnm);
  mapping.blocks = random_residency();
  mapping.sums = SumStorage{*rc::gen::element(SumFormat::kFp32, SumFormat::kBf16),
                            *rc::gen::element(SumPlace::kTcm, SumPlace::kHbm)};
  if (mapping.blocks.a || mapping.blocks.b || mapping.sums.place == SumPlace::kHbm) {
    mapping.buffers = random_size(kMostBuffers);
  } else {
    mapping.buffers = 1;
  }
  return mapping;
}

}  // namespace kernbench
