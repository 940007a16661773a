// The tile plan of C = A x B: where the matrices lie, and what the PE does for each tile (ADR-0006).
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/epilogue.hpp"
#include "sim/plan/matrix_layout.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

/// C (m x n) = A (m x k) x B (k x n); or C += A x B.
struct GemmProblem {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  Layout layout = Layout::kBlocked;
  std::vector<Epilogue> epilogues = {};
  Dtype dtype = Dtype::kBf16;  ///< of A and B; what it makes of C and the bias: result()
  /// Of B, where it is stored in fewer bytes: the vector unit converts it to `dtype` for the array (34.8).
  std::optional<Dtype> dtype_b = {};
  /// Of C, where that is what products are added up in, and not what result_of says (32.20).
  std::optional<Dtype> dtype_c = {};
  bool adds = false;  ///< to what C holds before; by a mapping alone (32.20)

  [[nodiscard]] Dtype stored_b() const { return dtype_b.value_or(dtype); }
  /// Of C.
  [[nodiscard]] Dtype result() const { return dtype_c.value_or(result_of(dtype)); }
  /// Of the smaller elements of A and B.
  [[nodiscard]] std::int64_t least_bits() const { return std::min(group_of(dtype).bits, group_of(stored_b()).bits); }
  [[nodiscard]] std::int64_t macs() const { return m * k * n; }
  /// True when a dimension is smaller than the tile's.
  [[nodiscard]] bool under_tile(const TileShape& tile) const { return m < tile.m || k < tile.k || n < tile.n; }
  [[nodiscard]] bool has_epilogue(VectorOp op) const;
  /// True when an epilogue works on every K tile: products leave the array one by one.
  [[nodiscard]] bool has_partials() const;
  /// True when an epilogue takes a matrix of C's shape.
  [[nodiscard]] bool has_auxiliary() const { return take_matrix(epilogues); }
};

/// Throws ConfigError unless A and B have one dtype, or B one of fewer bytes (34.8).
void check_operands(Dtype a, Dtype b);
/// Throws ConfigError for a reduction, and, of operands of whole numbers, for what does not keep these whole (34.3).
void check_epilogues(const std::vector<Epilogue>& epilogues, Dtype operands);

/// Sums that are kept, in TCM or HBM, between composites that each add a part of K to them (32.6, 32.19).
struct KeptSums {
  TileMap tiles{};        ///< where a tile of them is kept
  bool add = false;       ///< what is there is added to the result,
  bool keep = false;      ///< which is left there, and not in C
  MatrixLayout loaded{};  ///< of those in HBM: where in TCM what is added has been loaded
};

/// The matrices of a GEMM in the PE's HBM partition. A lies at address 0, then B, C and, where an epilogue
/// adds one, the bias (1 x n), each at the next multiple of burst x pseudo-channels.
struct GemmMatrices {
  MatrixLayout a;
  MatrixLayout b;
  MatrixLayout c;
  MatrixLayout bias;
  MatrixLayout auxiliary{};  ///< in TCM, where has_auxiliary(): of C's shape and tiles; a kernel's own (6.12)
  KeptSums sums{};
  MatrixLayout kept{};  ///< in HBM, of a mapping whose sums go there: all of them (32.19)
  // Of those whose tiles lie elsewhere than their layout says.
  TileMap a_tiles{};
  TileMap b_tiles{};
  TileMap c_tiles{};
};

/// With one like `kept`, where it has rows, after all others. Throws ConfigError when a dimension is below 1, an
/// epilogue takes a matrix that only a kernel can give, the dtype has no rate, the dtypes do not go together, or the
/// matrices do not fit the partition.
[[nodiscard]] GemmMatrices place_gemm(const GemmProblem& problem, const MachineSpec& machine,
                                      const MatrixLayout& kept = {});

/// Which operands are in TCM before the composite starts; the others are streamed tile by tile.
struct Residency {
  bool a = false;
  bool b = false;
  bool operator==(const Residency&) const = default;
};

/// Of the vector unit on an output tile's elements: for each of its K tiles, and at its end.
struct OutputWork {
  VectorWork k_tile;
  VectorWork output;
};
[[nodiscard]] OutputWork output_work(const GemmProblem& problem);

/// TCM bytes that the composite needs: resident operands, bias, auxiliary matrix, stream buffer, output buffer.
[[nodiscard]] Bytes tcm_bytes_needed(const GemmProblem& problem, const GemmMatrices& matrices, const PeSpec& pe);

/// The matrices as a composite finds them when these operands, and the bias, have been loaded: one after the other in
/// TCM.
[[nodiscard]] GemmMatrices loaded(const GemmProblem& problem, GemmMatrices matrices, Residency residency);

/// Output tiles row by row, K innermost: tile (i, j, k) has index (i * Nt + j) * Kt + k. Operands that do not lie in
/// TCM are streamed; the result goes where C lies, TCM included. Throws ConfigError, which says how many bytes are
/// missing, when the TCM is too small, or names the dtypes or the epilogue that do not go together (34.3).
[[nodiscard]] TilePlan make_gemm_plan(const GemmProblem& problem, const GemmMatrices& matrices, const PeSpec& pe);

}  // namespace kernbench
