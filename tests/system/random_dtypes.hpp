// Random dtypes of a GEMM for properties.
#pragma once

#include <rapidcheck.h>

#include <optional>
#include <string>
#include <vector>

#include "sim/plan/gemm_plan.hpp"

namespace kernbench {

/// Of A and B.
struct OperandDtypes {
  Dtype a = Dtype::kBf16;
  std::optional<Dtype> b{};
};

/// What the committed machine lacks: an array with rates for dtypes with groups.
inline const std::vector<std::string> kRatesOfGroups{"pe.mac.rates.bfp8=2", "pe.mac.rates.bfp4=2",
                                                     "pe.mac.rates.mxfp8=2", "pe.mac.rates.mxfp4=4"};

/// All that one array can have: one of both, or B of fewer bytes.
inline std::vector<OperandDtypes> every_operand_dtypes() {
  std::vector<OperandDtypes> all;
  for (const Dtype a : kOperandDtypes.values()) {
    all.push_back({a, std::nullopt});
    for (const Dtype b : kOperandDtypes.values()) {
      if (is_smaller(b, a) && a != Dtype::kInt8) all.push_back({a, b});
    }
  }
  return all;
}

inline GemmProblem with_dtypes(GemmProblem problem, const OperandDtypes& dtypes) {
  problem.dtype = dtypes.a;
  problem.dtype_b = dtypes.b;
  return problem;
}

/// Drawn inside a property; bf16 every second time.
inline void set_any_dtypes(GemmProblem& problem, MachineSpec& machine) {
  if (*rc::gen::arbitrary<bool>()) return;
  problem = with_dtypes(problem, *rc::gen::elementOf(every_operand_dtypes()));
  const std::int64_t rate = *rc::gen::element(MacRates::kOne / 2, MacRates::kOne, 2 * MacRates::kOne);
  PerDtype<0>& rates = machine.pe.mac.rates;
  rates = {rate, rate, rate, rate, rate, rate, rate, rate, rate, rate, rate};
  RC_LOG() << name_of(problem.dtype) << " x " << name_of(problem.stored_b()) << '\n';
}

}  // namespace kernbench
