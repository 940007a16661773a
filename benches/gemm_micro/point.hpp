// A point of bench gemm-micro: a GEMM on all PEs of a machine (adr/0045-gemm-micro.md).
#pragma once

#include <string>

#include "benches/workloads/bench.hpp"
#include "sim/plan/divided_gemm.hpp"

namespace kernbench {

struct MicroPoint {
  std::int64_t pes = 0;  ///< of the machine, or of the part of it that was asked for
  GemmProblem problem;
  std::string variant;

  /// Throws ConfigError for what no machine can do, and for PEs that this one does not have.
  MicroPoint(const MachineSpec& machine, const Point& point);
  [[nodiscard]] DividedGemm divided(const MachineSpec& machine) const;
};

/// Each shape of part on one PE, by the mapping of the largest one. Throws ConfigError where the machine cannot do it.
[[nodiscard]] Row simulate_micro(const MachineSpec& machine, const MicroPoint& asked, const PointSettings& settings);

/// The bound (45.5). Throws as simulate_micro.
[[nodiscard]] Row micro_bound(const MachineSpec& machine, const MicroPoint& asked);

}  // namespace kernbench
