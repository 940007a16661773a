// What this machine's GPUs are, and what is recorded about the software around them.
#pragma once

#include "benches/measured/cases/device_peaks.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench::gpu {

/// GPUs that CUDA shows this process. Throws GpuError where there is no driver.
[[nodiscard]] int visible_gpus();

/// Facts of a device. Throws GpuError.
[[nodiscard]] GpuFacts read_facts(int device);

/// Versions: driver, cuda_driver, cuda_runtime, cublaslt, nccl.
[[nodiscard]] Json software_versions();

/// Variables of the environment that change how the libraries work (NCCL_*, CUBLAS_*, ...), in order of name.
[[nodiscard]] Json library_settings();

}  // namespace kernbench::gpu
