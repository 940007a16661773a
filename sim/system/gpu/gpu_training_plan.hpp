// What the host launches in a step of training on GPUs, in its order (adr/0059, 59.1 to 59.4).
#pragma once

#include "sim/system/gpu/gpu_training.hpp"

namespace kernbench {

inline constexpr std::size_t kComputingStream = 0;
inline constexpr std::size_t kReducingStream = 1;

struct GpuTrainingPlan {
  TrainingStep step;
  std::vector<GpuTrainingPass> passes;  ///< without times
  GpuStream computing;
  GpuStream reducing;
  std::vector<std::size_t> gemm_places;  ///< of the step's GEMMs in `computing`
  std::vector<std::size_t> pass_places;  ///< of the passes

  [[nodiscard]] const GpuProduct& product(std::size_t gemm) const {
    return *computing.launches[gemm_places[gemm]].product;
  }
};

/// Throws as check_gpu_training.
[[nodiscard]] GpuTrainingPlan plan_gpu_training(const GpuTrainingCase& asked, const GpuSpec& gpu,
                                                const GpuTrainingRules& rules);

}  // namespace kernbench
