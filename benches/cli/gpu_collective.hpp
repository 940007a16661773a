// `kernbench sim collective` of GPUs: NCCL's time in closed form (adr/0051).
#pragma once

#include <string>

#include "benches/cli/collective_options.hpp"
#include "benches/cli/gpu_gemm.hpp"

namespace kernbench {

struct GpuCollectiveOptions {
  std::int64_t channels = 0;
  std::int64_t threads = 0;
  std::int64_t gpus = 0;

  void add_to(CommandSpec& command);
};

int run_sim_collective_gpu(const MachineOptions& machine, const CollectiveOptions& workload,
                           const GpuCollectiveOptions& options, const OutputOptions& output);
/// Throws ConfigError where one is given: the machine is of PEs.
void refuse_gpu_collective_options(const GpuCollectiveOptions& options);

}  // namespace kernbench
