// Tensor operators: what they read and write, and what the vector unit does for them (adr/0043-operators.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/base/dtype.hpp"
#include "sim/base/names.hpp"
#include "sim/plan/epilogue.hpp"

namespace kernbench {

enum class Operator { kLayerNorm, kRmsNorm, kGelu, kSwish, kSoftmax, kMse, kCrossEntropy, kRotary };
inline constexpr Names<Operator> kOperators{"operator",
                                            {{Operator::kLayerNorm, "layernorm"},
                                             {Operator::kRmsNorm, "rmsnorm"},
                                             {Operator::kGelu, "gelu"},
                                             {Operator::kSwish, "swish"},
                                             {Operator::kSoftmax, "softmax"},
                                             {Operator::kMse, "mse"},
                                             {Operator::kCrossEntropy, "cross_entropy"},
                                             {Operator::kRotary, "rotary"}}};

/// Reads an operator; "silu" is swish. Throws ConfigError that names `place` and the nearest one.
[[nodiscard]] Operator parse_operator(std::string_view text, std::string_view place);

/// What an operator is made of (43.1, 43.4).
struct OperatorTraits {
  bool second = false;              ///< it reads another matrix of x's shape: targets, or tables of cos and sin
  std::int64_t parameters = 0;      ///< rows of the dimension's length that all rows of x share: gain, bias
  bool classes = false;             ///< it reads the number of a class (int32) for each row
  std::int64_t row_statistics = 0;  ///< fp32 numbers that are known of a row before it can be finished
  bool writes_rows = true;          ///< y has x's shape; else it is one element, the mean over all of x
  VectorWork statistics{};          ///< of each element, for the statistics of its row, or for the mean
  VectorWork merge{};               ///< of each row, to take statistics together with those of the row's part before
  VectorWork finish{};              ///< of each row, once its statistics are complete
  VectorWork apply{};               ///< of each element, to make y of it

  [[nodiscard]] bool by_rows() const { return row_statistics > 0; }
};
[[nodiscard]] const OperatorTraits& traits_of(Operator op);

/// x is batch x sequence rows of `dimension` elements.
struct OperatorProblem {
  Operator op = Operator::kLayerNorm;
  std::int64_t batch = 1;
  std::int64_t sequence = 1;
  std::int64_t dimension = 1;
  Dtype dtype = Dtype::kBf16;  ///< of x, of what else is read but classes, and of y

  [[nodiscard]] std::int64_t rows() const { return batch * sequence; }
  [[nodiscard]] std::int64_t elements() const { return rows() * dimension; }
  /// Bytes of the matrices that are read, each once, and of those that are written.
  [[nodiscard]] Bytes least_read() const;
  [[nodiscard]] Bytes least_written() const;
};
/// Throws ConfigError, which names what is wrong: a size below 1 or above 10^6, more than 2^40 elements, a dtype other
/// than bf16, fp16, fp32, an odd dimension of rotary.
void check_operator(const OperatorProblem& problem);

}  // namespace kernbench
