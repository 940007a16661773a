// Element-wise work of the vector unit: epilogues of a GEMM and the operations of a math composite (ADR-0006).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

enum class VectorOp { kScale, kBias, kAdd, kMultiply, kRelu, kGelu, kSilu };
inline constexpr Names<VectorOp> kVectorOps{"operation",
                                            {{VectorOp::kScale, "scale"},
                                             {VectorOp::kBias, "bias"},
                                             {VectorOp::kAdd, "add"},
                                             {VectorOp::kMultiply, "multiply"},
                                             {VectorOp::kRelu, "relu"},
                                             {VectorOp::kGelu, "gelu"},
                                             {VectorOp::kSilu, "silu"}}};

/// True for those whose second operand is a matrix of the result's shape.
[[nodiscard]] constexpr bool takes_matrix(VectorOp op) { return op == VectorOp::kAdd || op == VectorOp::kMultiply; }
/// Throws ConfigError where an epilogue takes a matrix: only a kernel can give it one (6.12).
void refuse_auxiliary(VectorOp op);

/// Passes of the vector unit over the elements that one operation takes.
[[nodiscard]] std::int64_t vector_passes(VectorOp op);
/// What scale multiplies by: exact in bf16 and fp32.
inline constexpr float kScaleFactor = 0.5F;
/// Value of the operation; `operand` is the second input of bias, add and multiply, and the factor of scale.
[[nodiscard]] float apply_vector_op(VectorOp op, float value, float operand);

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

/// Reads "bias,gelu" or "scale@k_tile,relu". Throws ConfigError that names what is allowed.
[[nodiscard]] std::vector<Epilogue> parse_epilogues(std::string_view text);

/// Cycles of the vector unit for `passes` over `elements` elements.
[[nodiscard]] constexpr Cycles vector_cycles(const VectorUnitSpec& unit, std::int64_t passes, std::int64_t elements) {
  return passes * ceil_div(elements, unit.lanes);
}

}  // namespace kernbench
