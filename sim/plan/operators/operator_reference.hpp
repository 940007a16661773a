// An operator's inputs in runs that carry values, and what it should give: its definition in double precision, without
// plan, pieces or lanes, and how far from it a right result may be (adr/0043-operators.md, 43.12, 43.13).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/operators/operator.hpp"

namespace kernbench {

/// Inputs: multiples of 1/32, which every dtype has. x and targets from -4 to 4, gain from 1/2 to 3/2, bias from -1
/// to 1; tables of cos and sin are those of angles that depend on row and column, rounded to the dtype.
[[nodiscard]] float input_of_x(std::int64_t row, std::int64_t column);
[[nodiscard]] float input_of_second(const OperatorProblem& problem, std::int64_t row, std::int64_t column);
[[nodiscard]] float input_of_parameter(std::int64_t parameter, std::int64_t column);
[[nodiscard]] std::int64_t input_of_class(const OperatorProblem& problem, std::int64_t row);

/// A value and how far a right result may be from it.
struct Expected {
  double value = 0;
  double distance = 0;
};

/// What y, or the mean, should be.
class OperatorReference {
 public:
  /// `depth`: of the longest chain of fp32 roundings in a sum (43.13).
  OperatorReference(const OperatorProblem& problem, std::int64_t depth);
  /// Of operators that write rows. Rows are asked for one after the other.
  [[nodiscard]] Expected element(std::int64_t row, std::int64_t column);
  /// Of the others.
  [[nodiscard]] Expected mean();

 private:
  struct Scaled {
    double value = 0;
    double scale = 0;  ///< of what is rounded on the way
  };
  void take(std::int64_t row);
  [[nodiscard]] Scaled exact(std::int64_t row, std::int64_t column) const;
  [[nodiscard]] Expected expected(const Scaled& scaled) const;

  OperatorProblem problem_;
  std::int64_t depth_;
  std::int64_t row_ = -1;  ///< that the members below are of
  std::vector<double> x_;
  double largest_ = 0;  ///< of |x|
  double mean_ = 0;
  double deviation_ = 1;  ///< of layernorm the deviation, of rmsnorm the root of the mean square
  double log_sum_ = 0;    ///< of softmax and cross_entropy
};

}  // namespace kernbench
