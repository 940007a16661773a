// A product and a collective on the same GPUs: each alone, both together (adr/0050).
#pragma once

#include <vector>

#include "sim/system/gpu/gpu_streams.hpp"

namespace kernbench {

struct GpuConcurrentCase {
  GpuProduct product;
  NcclCollective collective;
};

struct GpuConcurrent {
  GpuGemmTime product_alone;
  NcclTime collective_alone;
  std::int64_t collective_sms = 0;
  std::int64_t clusters = 0;       ///< of the product at a time, alone
  std::int64_t rounds = 0;         ///< of tiles, alone
  std::int64_t clusters_left = 0;  ///< beside the collective
  std::int64_t rounds_left = 0;    ///< the most tiles that a cluster then computed
  Picoseconds product;             ///< together: the median of those that lie within a collective
  Picoseconds collective;          ///< together: the mean of those after the first
  Picoseconds collective_least;    ///< of these
  Picoseconds collective_most;     ///< of these
  std::int64_t products = 0;  ///< that lay within a collective; 0: none did, and `product` is of those that met one
  std::int64_t met = 0;       ///< others that met one; where there are none either, `product` is as alone
  std::int64_t events = 0;

  [[nodiscard]] double product_slowdown() const;     ///< together / alone
  [[nodiscard]] double collective_slowdown() const;  ///< together / alone
};

/// Products again and again on a stream, collectives on a second one, from eight phases of the one against the other.
/// GPUs that do the same are simulated once. Throws ConfigError for what the machine cannot do.
[[nodiscard]] GpuConcurrent run_concurrent(const GpuConcurrentCase& asked, const GpuSpec& gpu,
                                           const GpuRunSettings& settings = {});

}  // namespace kernbench
