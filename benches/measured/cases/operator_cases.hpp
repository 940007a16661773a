// The tensor operators that a GPU is measured on, and the least work that each has to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/measured/cases/planned_case.hpp"
#include "benches/measured/cases/suites.hpp"

namespace kernbench {

/// Points operation, implementation, batch_size, sequence_length, tensor_dimension, dtype, l2 of the part "operators":
/// each of its shapes (batch, sequence, dimension) with each operation and dtype, warm and flushed. `smoke`: two small
/// shapes. Throws ConfigError for a malformed part.
[[nodiscard]] std::vector<PlannedCase> operator_cases(const Suites& suites, const std::string& implementation,
                                                      bool smoke);

struct OperatorWork {
  double bytes = 0;  ///< inputs read once, outputs written once
  double flops = 0;  ///< additions, multiplications, divisions; an exponential, erf or root counts as one
};

/// Of an operation over `rows` (batch x sequence) by `columns` (dimension) elements of `element_bytes` each. layernorm
/// reads gain and bias too; mse writes one element; cross_entropy reads a class of 8 bytes a row and writes one
/// element. Throws std::invalid_argument for an unknown operation.
[[nodiscard]] OperatorWork operator_work(const std::string& operation, std::int64_t rows, std::int64_t columns,
                                         std::int64_t element_bytes);

/// The largest ||out - ref|| / ||ref|| that counts as right. Throws std::invalid_argument for an unknown dtype.
[[nodiscard]] double operator_tolerance(const std::string& dtype);

}  // namespace kernbench
