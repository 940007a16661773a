// How fast an operator can be: its plan at full rate, and the machine's roofline (adr/0043-operators.md).
#pragma once

#include <string>

#include "sim/plan/operators/operator_plan.hpp"

namespace kernbench {

/// What a share reads from memories and writes to them, in valid bytes, rank 0's reading and writing of the sums left
/// out.
struct ShareTraffic {
  Bytes read = 0;
  Bytes written = 0;
};
[[nodiscard]] ShareTraffic traffic_of(const OperatorPlan& plan, const OperatorShare& share);

struct OperatorBound {
  Picoseconds time;
  std::string resource;  ///< hbm, dma_in, dma_out or vector
};
/// Of the PE that takes longest: no run of the plan is faster (43.10).
[[nodiscard]] OperatorBound operator_bound(const OperatorPlan& plan, const MachineSpec& machine);

/// Of the problem on so many PEs, evenly shared, each byte moved once (43.11): `time` is a lower bound of any plan.
[[nodiscard]] OperatorBound operator_roofline(const OperatorProblem& problem, const MachineSpec& machine,
                                              std::int64_t pes);

}  // namespace kernbench
