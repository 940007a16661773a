// Values of matrices in runs that carry them: given before the run, compared with a reference after it (adr/0015).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/hw/values/value_store.hpp"
#include "sim/plan/distributed_gemm/distributed_matrix.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/plan/math_plan.hpp"

namespace kernbench {

using MatrixElement = std::function<float(std::int64_t row, std::int64_t column)>;

void fill_matrix(const MatrixLayout& matrix, const MatrixElement& value, ValueStore& memory);

/// Values that differ from what is expected.
class Differences {
 public:
  /// `name` is what a message calls the matrix; its first element is [row, column] of it.
  void compare(const MatrixLayout& matrix, const MatrixElement& expected, const ValueStore& memory,
               const std::string& name = "C", std::int64_t row = 0, std::int64_t column = 0);
  /// "" or "3 of 9 elements are wrong; first: C[0][1] is 2, expected 3".
  [[nodiscard]] std::string describe() const;
  /// Throws SimulationError where anything differs.
  void refuse() const;

 private:
  std::int64_t compared_ = 0;
  std::int64_t wrong_ = 0;
  std::string first_;
};

/// A small integer in [-4, 4] that depends on the matrix and the place: sums of up to 2^20 products are exact in fp32
/// in any order, so that equal bits can be asked for (15.2).
[[nodiscard]] float operand_element(std::uint64_t matrix, std::int64_t row, std::int64_t column);
/// They as a matrix whose first element is [row, column].
[[nodiscard]] MatrixElement operand_values(std::uint64_t matrix, std::int64_t row = 0, std::int64_t column = 0);
inline constexpr std::uint64_t kOperandA = 1;
inline constexpr std::uint64_t kOperandB = 2;
inline constexpr std::uint64_t kOperandBias = 3;

/// Of sums between blocks along K: rounded to a dtype after every so many products; 0: not.
struct SumRounding {
  std::int64_t every = 0;
  Dtype dtype = Dtype::kFp32;
};

/// A x B with its epilogues, not yet rounded to C's dtype: multiplied directly, without plan or layout.
class GemmReference {
 public:
  explicit GemmReference(const GemmProblem& problem) : GemmReference(problem, {0, problem.k}) {}
  /// The sum over a part of K alone.
  GemmReference(const GemmProblem& problem, Interval k, const SumRounding& rounding = {});
  [[nodiscard]] float operator()(std::int64_t row, std::int64_t column);

 private:
  void multiply(std::int64_t row);

  GemmProblem problem_;
  Interval k_;
  SumRounding rounding_;
  std::vector<float> b_;
  std::vector<float> bias_;
  std::int64_t row_ = -1;  ///< that `values_` are of
  std::vector<float> values_;
};

/// Result of an element-wise operation.
[[nodiscard]] float math_reference(const MathProblem& problem, std::int64_t row, std::int64_t column);

/// Throws ConfigError where the values of a GEMM would take too much memory (15.6).
void check_value_memory(const GemmProblem& problem, const GemmMatrices& matrices, const PeSpec& pe);
void check_value_memory(const MathProblem& problem, const MathMatrices& matrices, const PeSpec& pe);

}  // namespace kernbench
