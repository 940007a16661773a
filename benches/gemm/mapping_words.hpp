// Why a mapping was chosen, in words, for reports of one PE and of several.
#pragma once

#include <string>
#include <vector>

#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

/// Operands that a mapping does not load in blocks: "AB".
[[nodiscard]] std::string streamed_text(const GemmMapping& mapping);
/// "; the next takes 1.1 % longer; 2 that passed --time-limit are left out", of times with the fastest first.
[[nodiscard]] std::string margin_text(const std::vector<double>& times, std::int64_t over_time);

}  // namespace kernbench
