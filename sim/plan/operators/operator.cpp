#include "sim/plan/operators/operator.hpp"

#include <array>
#include <string>

#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench {

namespace {

constexpr VectorWork kSoftmaxStatistics{.arithmetic = 1, .special = 1, .reduce = 2};
constexpr VectorWork kSoftmaxMerge{.arithmetic = 5, .special = 2};

/// In the order of Operator. Passes are counted as in 6.9: a multiply-add is one.
constexpr std::array<OperatorTraits, 8> kTraits{{
    {.parameters = 2,
     .row_statistics = 2,
     .statistics = {.arithmetic = 2, .reduce = 2},
     .merge = {.arithmetic = 5},
     .finish = {.arithmetic = 2, .special = 1},
     .apply = {.arithmetic = 2}},
    {.parameters = 1,
     .row_statistics = 1,
     .statistics = {.arithmetic = 1, .reduce = 1},
     .merge = {.arithmetic = 1},
     .finish = {.arithmetic = 1, .special = 1},
     .apply = {.arithmetic = 2}},
    {.apply = {.arithmetic = 4, .special = 1}},
    {.apply = {.arithmetic = 2, .special = 1}},
    {.row_statistics = 2,
     .statistics = kSoftmaxStatistics,
     .merge = kSoftmaxMerge,
     .finish = {.arithmetic = 1, .special = 1},
     .apply = {.arithmetic = 1, .special = 1}},
    {.second = true, .writes_rows = false, .statistics = {.arithmetic = 2, .reduce = 1}},
    {.classes = true,
     .row_statistics = 3,
     .writes_rows = false,
     .statistics = kSoftmaxStatistics,
     .merge = kSoftmaxMerge,
     .finish = {.arithmetic = 2, .special = 1, .reduce = 1}},
    {.second = true, .apply = {.arithmetic = 2}},
}};

}  // namespace

Operator parse_operator(std::string_view text, std::string_view place) {
  return kOperators.parse(text == "silu" ? "swish" : text, place);
}

const OperatorTraits& traits_of(Operator op) { return kTraits.at(static_cast<std::size_t>(op)); }

Bytes OperatorProblem::least_read() const {
  const OperatorTraits& traits = traits_of(op);
  const std::int64_t matrices = traits.second ? 2 : 1;
  return bytes_of(matrices * elements() + traits.parameters * dimension, dtype) +
         (traits.classes ? bytes_of(rows(), Dtype::kInt32) : 0);
}

Bytes OperatorProblem::least_written() const { return bytes_of(traits_of(op).writes_rows ? elements() : 1, dtype); }

void check_operator(const OperatorProblem& problem) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 40U;
  check_dimension("batch_size", problem.batch);
  check_dimension("sequence_length", problem.sequence);
  check_dimension("tensor_dimension", problem.dimension);
  if (saturating_multiply(problem.rows(), problem.dimension) > kMostElements) {
    throw ConfigError("batch_size x sequence_length x tensor_dimension: expected at most 2^40 elements, got " +
                      std::to_string(problem.rows()) + " x " + std::to_string(problem.dimension));
  }
  const bool known = problem.dtype == Dtype::kBf16 || problem.dtype == Dtype::kFp16 || problem.dtype == Dtype::kFp32;
  if (!known) {
    throw ConfigError("dtype " + std::string(name_of(problem.dtype)) + ": operators take bf16, fp16 or fp32");
  }
  if (problem.op == Operator::kRotary && problem.dimension % 2 != 0) {
    throw ConfigError("tensor_dimension " + std::to_string(problem.dimension) +
                      ": rotary turns pairs of neighbours, expected an even number");
  }
}

}  // namespace kernbench
