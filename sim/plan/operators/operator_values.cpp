#include "sim/plan/operators/operator_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace kernbench {

namespace {

float sum_of(std::span<const float> x, std::int64_t lanes, const std::function<float(float)>& of) {
  LaneSum sum(lanes);
  for (const float value : x) sum.add(of(value));
  return sum.value();
}

}  // namespace

float LaneSum::value() const {
  std::vector<float> sums = sums_;
  while (sums.size() > 1) {
    const std::size_t half = (sums.size() + 1) / 2;
    for (std::size_t i = half; i < sums.size(); ++i) sums[i - half] += sums[i];
    sums.resize(half);
  }
  return sums.front();
}

RowStatistics row_statistics(Operator op, std::span<const float> x, std::int64_t begin, std::int64_t number,
                             std::int64_t lanes) {
  if (op == Operator::kLayerNorm) {
    const float mean = sum_of(x, lanes, [](float v) { return v; }) / static_cast<float>(x.size());
    return {mean, sum_of(x, lanes, [mean](float v) { return (v - mean) * (v - mean); })};
  }
  if (op == Operator::kRmsNorm) return {sum_of(x, lanes, [](float v) { return v * v; })};
  const float largest = *std::ranges::max_element(x);
  const float sum = sum_of(x, lanes, [largest](float v) { return std::exp(v - largest); });
  const std::int64_t at = number - begin;
  const bool has_class = op == Operator::kCrossEntropy && at >= 0 && at < static_cast<std::int64_t>(x.size());
  return {largest, sum, has_class ? x[static_cast<std::size_t>(at)] : 0.0F};
}

RowStatistics merged(Operator op, const RowStatistics& before, std::int64_t before_count, const RowStatistics& part,
                     std::int64_t count) {
  if (op == Operator::kRmsNorm) return {before[0] + part[0]};
  if (op == Operator::kLayerNorm) {
    const auto all = static_cast<float>(before_count + count);
    const float distance = part[0] - before[0];
    const float share = static_cast<float>(count) / all;
    return {before[0] + distance * share,
            before[1] + part[1] + distance * distance * (static_cast<float>(before_count) * share)};
  }
  const float largest = std::max(before[0], part[0]);
  return {largest, before[1] * std::exp(before[0] - largest) + part[1] * std::exp(part[0] - largest),
          before[2] + part[2]};
}

RowStatistics finished(Operator op, const RowStatistics& row, std::int64_t columns) {
  const float inverse = 1.0F / static_cast<float>(columns);
  if (op == Operator::kLayerNorm) {
    const float factor = 1.0F / std::sqrt(row[1] * inverse + kNormEpsilon);
    return {factor, -row[0] * factor};
  }
  if (op == Operator::kRmsNorm) return {1.0F / std::sqrt(row[0] * inverse + kNormEpsilon)};
  return {row[0] + std::log(row[1]), 0.0F, row[2]};
}

float applied(Operator op, float x, std::span<const float> parameters, const RowStatistics& row) {
  switch (op) {
    case Operator::kLayerNorm:
      return (x * row[0] + row[1]) * parameters[0] + parameters[1];
    case Operator::kRmsNorm:
      return x * row[0] * parameters[0];
    case Operator::kSoftmax:
      return std::exp(x - row[0]);
    case Operator::kGelu:
      return apply_vector_op(VectorOp::kGelu, x, 0.0F);
    case Operator::kSwish:
      return apply_vector_op(VectorOp::kSilu, x, 0.0F);
    default:
      return x;
  }
}

}  // namespace kernbench
