// Whether the method that `auto` comes to was the fastest (adr/0023, 23.4).
#pragma once

#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// Of one shape, partitions and replication, the methods that were run, and the one that `auto` is.
struct MethodChoice {
  const Row* chosen = nullptr;  ///< null where it was not run
  const Row* fastest = nullptr;
  [[nodiscard]] double loss() const;  ///< time of the chosen ÷ of the fastest − 1
};
/// In the order of the rows; cases without a row of the chosen method are left out.
[[nodiscard]] std::vector<MethodChoice> method_choices(const Results& simulated);

}  // namespace kernbench
