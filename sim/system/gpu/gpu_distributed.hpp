// A GEMM whose matrices are spread over several GPUs: how long, at what clock, what limits (adr/0057).
#pragma once

#include <string>
#include <vector>

#include "sim/plan/distributed_gemm/distributed_gemm.hpp"
#include "sim/plan/gpu/gpu_dtensor.hpp"
#include "sim/system/gpu/gpu_command_run.hpp"
#include "sim/system/gpu/gpu_pace.hpp"

namespace kernbench {

struct GpuDistributed {
  DistributedMethod method = DistributedMethod::kC;  ///< never kAuto
  double total = 0;                                  ///< ns
  double clock = 0;                                  ///< of the slowest product, GHz
  double power = 0;                                  ///< of the GPU that draws most, W
  double kernels = 0;                                ///< ns, of the GPU that computes longest
  double copies = 0;                                 ///< ns that the fullest link or copy engine takes of it alone
  double received = 0;                               ///< bytes, of the GPU that gets most
  std::vector<DtensorPhase> phases = {};             ///< of dtensor
  std::vector<GpuCommand> commands = {};             ///< of the others
  GpuCommandRun run = {};                            ///< of the others

  /// "kernels", "copies", or "waits" where neither fills two thirds of the time.
  [[nodiscard]] std::string limit() const;
};

/// Throws ConfigError where the machine has no section copy or fewer GPUs.
void require_gpus(const DistributedGemm& problem, const GpuSpec& gpu);

/// Throws ConfigError where the machine has no section copy or fewer GPUs, CapacityError where a product does not fit.
[[nodiscard]] GpuDistributed gpu_distributed(const DistributedGemm& problem, const GpuSpec& gpu, GpuPace pace,
                                             const GpuCommandRules& rules = {});

}  // namespace kernbench
