// How much of a metric's variance over a space comes from each axis (adr/0038-search.md, 38.7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benches/experiments/search/search.hpp"

namespace kernbench {

struct Share {
  double value = 0;  ///< of the variance
  double least = 0;  ///< 95 % confidence, by bootstrap
  double most = 0;
};

struct AxisInfluence {
  Share first;  ///< of this axis alone
  Share total;  ///< with all it does together with others
};

struct Sensitivity {
  std::vector<AxisInfluence> axes;  ///< in the order of the space; empty where the metric does not vary
  double mean = 0;
  double deviation = 0;
  std::size_t samples = 0;   ///< of which each takes (axes + 2) machines
  bool is_exact = false;     ///< of every choice of the grid; then `samples` are these
  std::size_t left_out = 0;  ///< samples of which a machine has no value
};

/// Places of the axes, the largest total first.
[[nodiscard]] std::vector<std::size_t> by_influence(const Sensitivity& sensitivity);

/// First-order and total Sobol indices of the expression over the whole grid of the space, every value of an axis as
/// likely as any other. Estimators of Saltelli et al. 2010 (first) and Jansen 1999 (total) on a Sobol sequence of as
/// many samples, a power of two, as the budget allows. Throws ConfigError for a budget of less than 16 samples.
[[nodiscard]] Sensitivity sensitivity(const Space& space, const Expression& expression, std::size_t budget,
                                      std::uint32_t seed, const EvaluateChoices& evaluate);

}  // namespace kernbench
