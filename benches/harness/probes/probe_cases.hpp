// The probes of a GPU: small measurements that each ask for a few keys of its machine file (adr/0054).
#pragma once

#include <vector>

#include "benches/harness/measured/planned_case.hpp"

namespace kernbench {

inline constexpr const char* kProbeBench = "gpu-probes";

/// Points of `gpus` GPUs of `sms` SMs, of which collectives take all and other probes the first. `smoke`: one of each
/// kind, small.
[[nodiscard]] std::vector<PlannedCase> probe_cases(int sms, int gpus, bool smoke);

}  // namespace kernbench
