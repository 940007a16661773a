#include "sim/plan/operators/operator_reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/plan/operators/operator_values.hpp"

namespace kernbench {

namespace {

/// A number of 64 bits that depends on all three.
std::uint64_t scattered(std::uint64_t matrix, std::int64_t row, std::int64_t column) {
  std::uint64_t x = matrix * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(row) * 0xBF58476D1CE4E5B9U +
                    static_cast<std::uint64_t>(column) * 0x94D049BB133111EBU;
  x ^= x >> 31U;
  x *= 0xD6E8FEB86659FD93U;
  return x ^ x >> 32U;
}

/// A multiple of 1/32 from -most/32 to most/32.
float thirty_seconds(std::uint64_t matrix, std::int64_t row, std::int64_t column, std::int64_t most) {
  const auto steps = static_cast<std::uint64_t>(2 * most + 1);
  return static_cast<float>(static_cast<std::int64_t>(scattered(matrix, row, column) % steps) - most) / 32.0F;
}

/// Half of a unit in the last place of the largest significand, relative to the number.
double unit_roundoff(Dtype dtype) {
  if (dtype == Dtype::kBf16) return 0x1p-8;
  return dtype == Dtype::kFp16 ? 0x1p-11 : 0x1p-24;
}

/// Half of the smallest number above 0.
double half_of_least(Dtype dtype) { return dtype == Dtype::kFp16 ? 0x1p-25 : 0x1p-134; }

constexpr double kRoundoff = 0x1p-24;    // of fp32
constexpr std::int64_t kOfFormula = 32;  // roundings of a formula beside its sums, special functions included

}  // namespace

float input_of_x(std::int64_t row, std::int64_t column) { return thirty_seconds(1, row, column, 128); }

float input_of_second(const OperatorProblem& problem, std::int64_t row, std::int64_t column) {
  if (problem.op != Operator::kRotary) return thirty_seconds(2, row, column, 128);
  // Of a pair the first column has its cos, the second its sin.
  const auto position = static_cast<double>(row % problem.sequence);
  const double share = static_cast<double>(column - column % 2) / static_cast<double>(problem.dimension);
  const double angle = position * std::pow(10000.0, -share);
  return rounded(static_cast<float>(column % 2 == 0 ? std::cos(angle) : std::sin(angle)), problem.dtype);
}

float input_of_parameter(std::int64_t parameter, std::int64_t column) {
  return parameter == 0 ? 1.0F + thirty_seconds(3, 0, column, 16) : thirty_seconds(4, 0, column, 32);
}

std::int64_t input_of_class(const OperatorProblem& problem, std::int64_t row) {
  return static_cast<std::int64_t>(scattered(5, row, 0) % static_cast<std::uint64_t>(problem.dimension));
}

OperatorReference::OperatorReference(const OperatorProblem& problem, std::int64_t depth)
    : problem_(problem), depth_(depth), x_(static_cast<std::size_t>(problem.dimension)) {}

void OperatorReference::take(std::int64_t row) {
  if (row == row_) return;
  row_ = row;
  const auto columns = static_cast<double>(problem_.dimension);
  for (std::int64_t c = 0; c < problem_.dimension; ++c) x_[static_cast<std::size_t>(c)] = input_of_x(row, c);
  mean_ = 0;
  largest_ = 0;
  for (const double x : x_) mean_ += x / columns;
  for (const double x : x_) largest_ = std::max(largest_, std::abs(x));
  const double centre = problem_.op == Operator::kRmsNorm ? 0 : mean_;
  double squares = 0;
  for (const double x : x_) squares += (x - centre) * (x - centre) / columns;
  deviation_ = std::sqrt(squares + static_cast<double>(kNormEpsilon));
  double sum = 0;
  for (const double x : x_) sum += std::exp(x);
  log_sum_ = std::log(sum);
}

OperatorReference::Scaled OperatorReference::exact(std::int64_t row, std::int64_t column) const {
  const double x = x_[static_cast<std::size_t>(column)];
  const double gain = input_of_parameter(0, column);
  switch (problem_.op) {
    case Operator::kLayerNorm: {
      const double bias = input_of_parameter(1, column);
      return {(x - mean_) / deviation_ * gain + bias, 2 * largest_ / deviation_ * gain + std::abs(bias)};
    }
    case Operator::kRmsNorm:
      return {x / deviation_ * gain, largest_ / deviation_ * gain};
    case Operator::kGelu: {
      const double inner = std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x);
      return {0.5 * x * (1 + std::tanh(inner)), std::abs(x)};
    }
    case Operator::kSwish:
      return {x / (1 + std::exp(-x)), std::abs(x)};
    case Operator::kSoftmax: {
      const double y = std::exp(x - log_sum_);
      return {y, y * (1 + largest_ + std::abs(log_sum_))};
    }
    case Operator::kRotary: {
      const bool first = column % 2 == 0;
      const std::int64_t even = column - column % 2;
      const double other = x_[static_cast<std::size_t>(first ? column + 1 : column - 1)];
      const double cos = input_of_second(problem_, row, even);
      const double sin = input_of_second(problem_, row, even + 1);
      return {x * cos + (first ? -1 : 1) * other * sin, std::abs(x) + std::abs(other)};
    }
    default:
      return {};
  }
}

Expected OperatorReference::expected(const Scaled& scaled) const {
  const double own = unit_roundoff(problem_.dtype) * std::abs(scaled.value) + half_of_least(problem_.dtype);
  const double formula = static_cast<double>(depth_ + kOfFormula) * kRoundoff * (std::abs(scaled.value) + scaled.scale);
  return {scaled.value, own + formula};
}

Expected OperatorReference::element(std::int64_t row, std::int64_t column) {
  take(row);
  return expected(exact(row, column));
}

Expected OperatorReference::mean() {
  double sum = 0;
  double scale = 0;
  for (std::int64_t row = 0; row < problem_.rows(); ++row) {
    take(row);
    if (problem_.op == Operator::kCrossEntropy) {
      sum += log_sum_ - x_[static_cast<std::size_t>(input_of_class(problem_, row))];
      scale += std::abs(log_sum_) + largest_;
      continue;
    }
    for (std::int64_t c = 0; c < problem_.dimension; ++c) {
      const double distance = x_[static_cast<std::size_t>(c)] - input_of_second(problem_, row, c);
      sum += distance * distance;
    }
  }
  const auto count =
      static_cast<double>(problem_.op == Operator::kCrossEntropy ? problem_.rows() : problem_.elements());
  return expected({sum / count, scale / count});
}

}  // namespace kernbench
