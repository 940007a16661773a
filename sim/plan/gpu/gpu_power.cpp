#include "sim/plan/gpu/gpu_power.hpp"

#include <algorithm>
#include <cmath>

namespace kernbench {
namespace {

constexpr int kHalvings = 40;

double clock_within(double watts, const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                    GpuConditions conditions, double share) {
  const auto fits = [&](double clock) {
    conditions.clock = clock;
    const double idle = gpu.power.idle;
    return idle + share * (gpu_power(gemm, kernel, gpu, conditions) - idle) <= watts;
  };
  double high = gpu.sm.clock;
  if (fits(high)) return high;
  double low = kLeastShareOfClock * high;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double gpu_energy(const GpuGemm& gemm, const GpuKernel& kernel, const GpuGemmTime& time, const GpuSpec& gpu) {
  // pJ a ns are mW; bytes a ns are GB/s.
  const double switching = energy_of_flop(gemm, kernel, gpu) * tflops(gemm, time.total) * time.total +
                           (gpu.l2.energy * time.l2_bytes + gpu.hbm.energy * time.hbm_bytes) / 1e3;
  return switching * std::pow(time.clock / gpu.power.clock, gpu.power.exponent);
}

double gpu_power(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu, const GpuConditions& conditions) {
  const GpuGemmTime time = gpu_gemm_time(gemm, kernel, gpu, conditions);
  return gpu.power.idle + gpu_energy(gemm, kernel, time, gpu) / time.total;
}

double governed_clock(GpuState state, const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                      const GpuConditions& conditions, double share) {
  const double watts = state == GpuState::kBurst ? gpu.power.peak : std::min(gpu.power.limit, gpu.power.peak);
  return clock_within(watts, gemm, kernel, gpu, conditions, share);
}

double burst_clock(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu, const GpuConditions& conditions,
                   double share) {
  return governed_clock(GpuState::kBurst, gemm, kernel, gpu, conditions, share);
}

double steady_clock(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu, L2State l2) {
  return governed_clock(GpuState::kSteady, gemm, kernel, gpu, {.l2 = l2});
}

}  // namespace kernbench
