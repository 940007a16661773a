// The library that decides what to try next when numbers are fitted: pagmo's CMA-ES.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace kernbench {

/// The point between the bounds, 0 in the beginning, at which `loss` is least after so many trials; fewer where it
/// stands still. The same seed, the same answer.
[[nodiscard]] std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& loss,
                                           const std::vector<double>& lowest, const std::vector<double>& highest,
                                           std::size_t budget, std::uint32_t seed);

}  // namespace kernbench
