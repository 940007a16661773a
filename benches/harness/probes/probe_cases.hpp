// The probes of a GPU: small measurements that each ask for a few keys of its machine file (adr/0054).
#pragma once

#include <vector>

#include "benches/harness/measured/planned_case.hpp"

namespace kernbench {

inline constexpr const char* kProbeBench = "gpu-probes";

/// Points of a GPU of `sms` SMs. `smoke`: one of each kind, small.
[[nodiscard]] std::vector<PlannedCase> probe_cases(int sms, bool smoke);

}  // namespace kernbench
