// Products that a maker has published of chips of many cores, as points of a bench.
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// A chip with published products, and the bench that holds them against its machine.
struct ManyCoreChip {
  std::string bench;
  std::string name;          ///< "Wormhole n150"
  std::string machine_file;  ///< below the source tree, as the others
  std::string folder;        ///< of the bench's results
  std::string products;      ///< over its whole machine, calls replayed from a trace
};
[[nodiscard]] const std::vector<ManyCoreChip>& many_core_chips();

struct PublishedProduct {
  Json point;  ///< way ("tuned", "out of the box"), m, k, n, dtype, fidelity, operands ("A and C in L1", "in DRAM")
  double time_ns = 0;
  double utilisation = 0;  ///< of the peak, by cycles of the cores' kernels, whatever the clock was
};
/// Read when they are first asked for.
[[nodiscard]] const std::vector<PublishedProduct>& published_products(const ManyCoreChip& chip);

/// nullptr where there is none of that point.
[[nodiscard]] const PublishedProduct* product_of(const std::vector<PublishedProduct>& products, const Json& point);

[[nodiscard]] std::vector<Axis> published_axes(const std::vector<PublishedProduct>& products);

}  // namespace kernbench
