// Products that a maker has published of a many-core chip, as points of the bench.
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// Of wormhole_n150.csv beside this file: bf16, 8 x 8 cores, calls replayed from a trace.
struct PublishedProduct {
  Json point;  ///< way ("tuned", "out of the box"), m, k, n, fidelity, operands ("A and C in L1", "in DRAM")
  double time_ns = 0;
  double utilisation = 0;  ///< of the peak, by cycles of the cores' kernels, whatever the clock was
};
[[nodiscard]] const std::vector<PublishedProduct>& published_products();

/// nullptr where it was not published.
[[nodiscard]] const PublishedProduct* published_product(const Json& point);

[[nodiscard]] std::vector<Axis> published_axes();

}  // namespace kernbench
