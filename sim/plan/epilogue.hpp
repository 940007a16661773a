// Element-wise work of the vector unit: epilogues of a GEMM and the operations of a math composite (ADR-0006).
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

enum class VectorOp { kScale, kBias, kAdd, kMultiply, kRelu, kGelu, kSilu, kRowSum, kRowMax };
inline constexpr Names<VectorOp> kVectorOps{"operation",
                                            {{VectorOp::kScale, "scale"},
                                             {VectorOp::kBias, "bias"},
                                             {VectorOp::kAdd, "add"},
                                             {VectorOp::kMultiply, "multiply"},
                                             {VectorOp::kRelu, "relu"},
                                             {VectorOp::kGelu, "gelu"},
                                             {VectorOp::kSilu, "silu"},
                                             {VectorOp::kRowSum, "row_sum"},
                                             {VectorOp::kRowMax, "row_max"}}};

/// True for those whose second operand is a matrix of the result's shape.
[[nodiscard]] constexpr bool takes_matrix(VectorOp op) { return op == VectorOp::kAdd || op == VectorOp::kMultiply; }
/// True for those that make one element of each row.
[[nodiscard]] constexpr bool reduces(VectorOp op) { return op == VectorOp::kRowSum || op == VectorOp::kRowMax; }
/// Throws ConfigError where an epilogue takes a matrix: only a kernel can give it one (6.12).
void refuse_auxiliary(VectorOp op);

/// Passes of the vector unit over elements, by the class of operation (6.13).
struct VectorWork {
  std::int64_t arithmetic = 0;  ///< additions, multiplications, comparisons
  std::int64_t special = 0;     ///< special functions
  std::int64_t reduce = 0;      ///< reductions along rows
  std::int64_t convert = 0;     ///< from one dtype to another
  VectorWork& operator+=(const VectorWork& other) {
    arithmetic += other.arithmetic;
    special += other.special;
    reduce += other.reduce;
    convert += other.convert;
    return *this;
  }
  friend VectorWork operator+(VectorWork a, const VectorWork& b) { return a += b; }
  bool operator==(const VectorWork&) const = default;
};

/// Adding a partial product, or a kept sum, to what there is.
inline constexpr VectorWork kAddition{.arithmetic = 1};

/// What one operation takes.
[[nodiscard]] VectorWork vector_work(VectorOp op);
/// What scale multiplies by: exact in bf16 and fp32.
inline constexpr float kScaleFactor = 0.5F;
/// Value of the operation; `operand` is the second input of bias, add and multiply, the factor of scale, and of a
/// reduction what the row's elements before have come to.
[[nodiscard]] float apply_vector_op(VectorOp op, float value, float operand);

/// What a reduction of no elements comes to.
[[nodiscard]] constexpr float reduction_of_none(VectorOp op) {
  return op == VectorOp::kRowMax ? -std::numeric_limits<float>::infinity() : 0.0F;
}

/// When an epilogue runs: on the finished output tile, or on the partial product of every K tile.
enum class EpilogueScope { kOutputTile, kKTile };

struct Epilogue {
  VectorOp op = VectorOp::kScale;
  EpilogueScope scope = EpilogueScope::kOutputTile;
};

/// True when one of them takes a matrix.
[[nodiscard]] bool take_matrix(const std::vector<Epilogue>& epilogues);

/// Those that work on every K tile.
[[nodiscard]] std::vector<Epilogue> per_k_tile(std::vector<Epilogue> epilogues);

/// Reads "bias+gelu", with commas as well, or "scale@k_tile+relu". Throws ConfigError that names what is allowed.
[[nodiscard]] std::vector<Epilogue> parse_epilogues(std::string_view text);

/// Operations on single elements that it comes to, whatever the unit's width and rates; a special function is four
/// (36.2).
[[nodiscard]] constexpr std::int64_t vector_operations(const VectorWork& work, std::int64_t elements) {
  constexpr std::int64_t kOfSpecial = 4;
  return (work.arithmetic + kOfSpecial * work.special + work.reduce + work.convert) * elements;
}

/// Cycles of the vector unit for `work` on `elements` elements: those of each class rounded up once (6.13).
[[nodiscard]] Cycles vector_cycles(const VectorUnitSpec& unit, const VectorWork& work, std::int64_t elements);

}  // namespace kernbench
