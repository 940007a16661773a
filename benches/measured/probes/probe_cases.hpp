// The probes of a GPU: small measurements that each ask for a few keys of its machine file (adr/0054).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "benches/measured/cases/planned_case.hpp"

namespace kernbench {

inline constexpr const char* kProbeBench = "gpu-probes";

/// Points of `gpus` GPUs of `sms` SMs, of which collectives take all and other probes the first. `smoke`: one of each
/// kind, small.
[[nodiscard]] std::vector<PlannedCase> probe_cases(int sms, int gpus, bool smoke);

/// Bytes of the collectives through one channel: NCCL sends no less by Simple, whose rates these are.
[[nodiscard]] std::array<std::int64_t, 2> probed_sizes(std::int64_t gpus);

}  // namespace kernbench
