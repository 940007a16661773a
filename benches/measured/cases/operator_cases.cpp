#include "benches/measured/cases/operator_cases.hpp"

#include <stdexcept>

namespace kernbench {
namespace {

/// About as long as an H200 takes: set-up, samples, and the calls of one that is too long for the usual samples.
double estimate(const OperatorWork& work) { return 0.06 + 40 * work.bytes / 2.5e12; }

}  // namespace

std::vector<PlannedCase> operator_cases(const Suites& suites, const std::string& implementation, bool smoke) {
  const CheckedJson part = suites.part("operators");
  std::vector<std::vector<std::int64_t>> shapes = shapes_of(part.at("shapes"), 3);
  if (smoke) shapes = {{2, 64, 768}, {1, 33, 777}};
  std::vector<PlannedCase> cases;
  for (const std::vector<std::int64_t>& shape : shapes) {
    for (const std::string& operation : texts_of(part.at("operations"))) {
      for (const std::string& dtype : texts_of(part.at("dtypes"))) {
        for (const char* l2 : {"warm", "flushed"}) {
          PlannedCase planned;
          planned.suite = operation;
          planned.point = {{"operation", operation},
                           {"implementation", implementation},
                           {"batch_size", shape[0]},
                           {"sequence_length", shape[1]},
                           {"tensor_dimension", shape[2]},
                           {"dtype", dtype},
                           {"l2", l2}};
          planned.estimate_s = estimate(operator_work(operation, shape[0] * shape[1], shape[2], 4));
          cases.push_back(std::move(planned));
        }
      }
    }
  }
  return cases;
}

OperatorWork operator_work(const std::string& operation, std::int64_t rows, std::int64_t columns,
                           std::int64_t element_bytes) {
  const auto elements = static_cast<double>(rows) * static_cast<double>(columns);
  const auto size = static_cast<double>(element_bytes);
  // mean, difference, square and sum, scaling, gain, bias
  if (operation == "layernorm") return {(2 * elements + 2 * static_cast<double>(columns)) * size, 7 * elements};
  // x / sqrt 2, erf, 1 +, x / 2, product
  if (operation == "gelu") return {2 * elements * size, 5 * elements};
  // exp, 1 +, division
  if (operation == "swish") return {2 * elements * size, 3 * elements};
  if (operation == "mse") return {(2 * elements + 1) * size, 3 * elements};
  // difference to the maximum, exp, sum
  if (operation == "cross_entropy") return {(elements + 1) * size + 8 * static_cast<double>(rows), 3 * elements};
  throw std::invalid_argument("there is no operation \"" + operation + "\"");
}

double operator_tolerance(const std::string& dtype) {
  if (dtype == "fp32") return 2e-5;
  if (dtype == "bf16") return 1e-2;
  throw std::invalid_argument("there is no tolerance for dtype \"" + dtype + "\"");
}

}  // namespace kernbench
