// A GEMM on many PEs that share nothing: parts of C, each with the rows of A and columns of B that it needs
// (adr/0045-gemm-micro.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/gemm_plan.hpp"

namespace kernbench {

/// Parts of one shape.
struct GemmPart {
  GemmProblem problem;
  std::int64_t count = 0;  ///< PEs that have one
};

struct DividedGemm {
  std::int64_t rows = 0;        ///< of parts, that C is cut into
  std::int64_t columns = 0;     ///< likewise
  std::vector<GemmPart> parts;  ///< each shape once, the largest first; at most four
  [[nodiscard]] std::int64_t pes() const { return rows * columns; }
  [[nodiscard]] const GemmProblem& largest() const { return parts.front().problem; }
};

/// Cuts C into whole tiles over at most `pes` PEs, so that the PE with most has the fewest tiles (45.2). Throws
/// ConfigError for wrong dimensions.
[[nodiscard]] DividedGemm divide_gemm(const GemmProblem& problem, const TileShape& tile, std::int64_t pes);

struct DividedGemmBound {
  Picoseconds time;
  std::string resource;  ///< mac, dma_in, hbm, dma_out
};
/// That no mapping of the largest part beats (45.5). Throws ConfigError where the array has no rate for the dtype.
[[nodiscard]] DividedGemmBound divided_gemm_bound(const DividedGemm& divided, const MachineSpec& machine);

}  // namespace kernbench
