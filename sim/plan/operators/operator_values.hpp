// What the vector unit computes of an operator's values: in fp32, sums lane by lane (adr/0043-operators.md, 43.12).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/plan/operators/operator.hpp"

namespace kernbench {

/// What layernorm and rmsnorm add to the variance.
inline constexpr float kNormEpsilon = 1e-5F;

/// Sum of element i over all elements: lane j adds up elements j, j + lanes, ... in their order; then lanes are added
/// pair by pair.
class LaneSum {
 public:
  explicit LaneSum(std::int64_t lanes) : sums_(static_cast<std::size_t>(lanes)) {}
  void add(float value) {
    sums_[next_] += value;
    next_ = next_ + 1 == sums_.size() ? 0 : next_ + 1;
  }
  [[nodiscard]] float value() const;

 private:
  std::vector<float> sums_;
  std::size_t next_ = 0;
};

/// Of a row: layernorm has mean and the sum of squared distances to it, once finished 1 / deviation and -mean /
/// deviation; rmsnorm the sum of squares, then 1 / root of the mean; softmax the largest and the sum of exp(x -
/// largest), then the logarithm of the sum of exp(x); cross_entropy as softmax, and x of the row's class.
using RowStatistics = std::array<float, 3>;

/// Of a row, or of a part of it that begins at column `begin`. `number`: the row's class, where the operator has them.
[[nodiscard]] RowStatistics row_statistics(Operator op, std::span<const float> x, std::int64_t begin,
                                           std::int64_t number, std::int64_t lanes);
/// Of two parts that follow each other, of `before_count` and `count` elements.
[[nodiscard]] RowStatistics merged(Operator op, const RowStatistics& before, std::int64_t before_count,
                                   const RowStatistics& part, std::int64_t count);
/// Of a whole row of `columns` elements.
[[nodiscard]] RowStatistics finished(Operator op, const RowStatistics& row, std::int64_t columns);
/// What a finished row adds to the mean of cross_entropy.
[[nodiscard]] inline float loss_of(const RowStatistics& row) { return row[0] - row[2]; }

/// y of one element of a row; of rotary see rotated().
[[nodiscard]] float applied(Operator op, float x, std::span<const float> parameters, const RowStatistics& row);
/// Rotary: element `x` of a pair with the other one, by the pair's cos and sin; the first of a pair gets x cos - other
/// sin, the second x cos + other sin.
[[nodiscard]] inline float rotated(float x, float other, float cos, float sin, bool first) {
  return first ? x * cos - other * sin : x * cos + other * sin;
}

}  // namespace kernbench
