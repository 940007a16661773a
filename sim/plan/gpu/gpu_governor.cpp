#include "sim/plan/gpu/gpu_governor.hpp"

#include <cmath>

#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {

std::vector<GpuTick> clock_from_idle(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu, L2State l2,
                                     Picoseconds until) {
  const double steady = steady_clock(gemm, kernel, gpu, l2);
  const Picoseconds period{std::llround(gpu.power.period * 1000)};
  std::vector<GpuTick> ticks;
  double clock = burst_clock(gemm, kernel, gpu, {.l2 = l2});
  for (Picoseconds from; from < until; from += period) {
    ticks.push_back({from, clock, gpu_gemm_time(gemm, kernel, gpu, {.l2 = l2, .clock = clock}).time()});
    clock += gpu.power.step * (steady - clock);
  }
  return ticks;
}

}  // namespace kernbench
