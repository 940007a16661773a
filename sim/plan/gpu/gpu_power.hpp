// The clock at which work goes on under the limits of power (adr/0048).
#pragma once

#include <cstdint>

#include "sim/base/names.hpp"
#include "sim/plan/gpu/gpu_gemm_time.hpp"

namespace kernbench {

/// No clock is below this share of sm.clock, whatever the limits of power.
inline constexpr double kLeastShareOfClock = 0.1;

/// When a product is looked at: before the governor's first tick, or the same again and again under the power limit.
enum class GpuState : std::uint8_t { kBurst, kSteady };
inline constexpr Names<GpuState> kGpuStates{"state of a GPU",
                                            {{GpuState::kBurst, "burst"}, {GpuState::kSteady, "steady"}}};

/// What a kernel that runs again and again draws at this clock, in watts.
[[nodiscard]] double gpu_power(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                               const GpuConditions& conditions);

/// What the transistors that switch take of one product, in nJ, at the clock of `time`.
[[nodiscard]] double gpu_energy(const GpuGemm& gemm, const GpuKernel& kernel, const GpuGemmTime& time,
                                const GpuSpec& gpu);

/// The highest clock (GHz) at which it draws no more than power.peak, sm.clock at most; `share`: of what switches,
/// where others have the rest of the SMs. The clock of `conditions` is not looked at.
[[nodiscard]] double burst_clock(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                                 const GpuConditions& conditions = {}, double share = 1);

/// The same for the smaller of power.limit and power.peak: what the governor comes to.
[[nodiscard]] double steady_clock(const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu, L2State l2);

/// Of either state, with the share of burst_clock.
[[nodiscard]] double governed_clock(GpuState state, const GpuGemm& gemm, const GpuKernel& kernel, const GpuSpec& gpu,
                                    const GpuConditions& conditions, double share = 1);

}  // namespace kernbench
