// The power governor in ticks: at which clock work goes on that begins on an idle GPU (adr/0050).
#pragma once

#include <vector>

#include "sim/plan/gpu/gpu_gemm_time.hpp"

namespace kernbench {

/// From one tick to the next.
struct GpuTick {
  Picoseconds from;
  double clock = 0;  ///< GHz
  Picoseconds time;  ///< of the product at it
};

/// A product again and again from idle on: at the clock of a burst until the first tick; at each tick the clock goes
/// power.step of the way to the steady one.
[[nodiscard]] std::vector<GpuTick> clock_from_idle(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                                                   L2State l2, Picoseconds until);

}  // namespace kernbench
