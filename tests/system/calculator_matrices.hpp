// What a run's matrices are: their dtypes, and where they lie.
#pragma once

#include "tests/system/calculator.hpp"
#include "tests/system/calculator_layout.hpp"

namespace kernbench::calculator {

/// 6.3 to 6.8, 32.19.
struct Matrices {
  Matrix a;
  Matrix b;
  Matrix c;
  Matrix sums;  ///< of a mapping that keeps some
};

/// 34.1, 34.4 and 34.8.
struct Facts {
  Bytes operand = 0;
  Bytes result = 0;
  std::int64_t rate = 0;  ///< millionths
  Bytes operand_b = 0;    ///< of B, which may have a dtype of its own
  bool converts = false;  ///< and is converted then
};

Facts facts_of(const Run& run, const MacRates& rates);
Matrices matrices_of(const MachineSpec& machine, const Run& run, const Facts& facts);

}  // namespace kernbench::calculator
