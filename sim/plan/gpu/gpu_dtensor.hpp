// PyTorch's DTensor on GPUs as it is measured (adr/0057): operands are redistributed by NCCL to what C's partition
// needs, then multiplied; C stays.
#pragma once

#include <string>
#include <vector>

#include "sim/plan/distributed_gemm/distributed_gemm.hpp"
#include "sim/plan/gpu/gpu_commands.hpp"

namespace kernbench {

struct DtensorPhase {
  std::string what;     ///< "all_gather of B", "A put together", "product"
  double time = 0;      ///< ns
  double energy = 0;    ///< nJ of kernels; of collectives none is known
  double received = 0;  ///< bytes, of each GPU
};

/// One after the other; all GPUs do the same; the product at the clock of its burst, `most` (GHz) at most. Throws
/// ConfigError where replications differ or some but not all matrices are in blocks, which is not measured.
[[nodiscard]] std::vector<DtensorPhase> dtensor_phases(const DistributedGemm& problem, const GpuSpec& gpu,
                                                       GpuCommandCosts& costs, double most);

}  // namespace kernbench
