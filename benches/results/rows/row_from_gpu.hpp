// A product on a GPU as a row (adr/0048): for every command and bench that asks a GPU's file for one.
#pragma once

#include <string>

#include "benches/results/rows/results.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {

inline constexpr const char* kLibrarysChoice = "auto";

[[nodiscard]] bool is_librarys_choice(const std::string& map);

/// The kernel that is asked for, or the library's choice. Throws ConfigError, which begins with `place`, for a kernel
/// that is none or that the GPU cannot hold, CapacityError where no kernel fits.
[[nodiscard]] GpuKernel gpu_kernel_of(const std::string& map, const GpuGemm& gemm, const GpuSpec& gpu,
                                      const std::string& place);

/// time_ns, tflops, peak_fraction, sm_clock_mhz, power_w, limited_by, kernel, and the parts of the time in ns.
[[nodiscard]] Row row_from_gpu(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu, L2State l2,
                               GpuState state, GpuLaunching launching = GpuLaunching::kGraph);

/// The roofline of the file, which no product is faster than: time_ns, the longer of the operations at the nominal rate
/// of all SMs at sm.clock and the bytes that HBM moves at hbm.bandwidth; bottleneck, "mac" or "hbm".
[[nodiscard]] Row roofline_from_gpu(const GpuGemm& gemm, const GpuSpec& gpu, L2State l2);

}  // namespace kernbench
