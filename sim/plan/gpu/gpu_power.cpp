#include "sim/plan/gpu/gpu_power.hpp"

#include <cmath>

namespace kernbench {
namespace {

constexpr int kHalvings = 40;
constexpr double kLeastShareOfClock = 0.1;

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

double steady_clock(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu, L2State l2) {
  const auto draws = [&](double clock) { return gpu_power(gemm, kernel, gpu, {.l2 = l2, .clock = clock}); };
  double high = gpu.sm.clock;
  if (draws(high) <= gpu.power.limit) return high;
  double low = kLeastShareOfClock * high;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (draws(middle) <= gpu.power.limit ? low : high) = middle;
  }
  return low;
}

}  // namespace kernbench
