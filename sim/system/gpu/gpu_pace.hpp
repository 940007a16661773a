// Whether work is done once or again and again: the clock that the SMs have meanwhile (adr/0057, 57.6).
#pragma once

#include <utility>

#include "sim/base/names.hpp"
#include "sim/machine/gpu/gpu_spec.hpp"

namespace kernbench {

/// kOnce: the SMs have their clock before the governor's first tick; kAgain: the same again and again, at the clock
/// that the power limit allows.
enum class GpuPace { kOnce, kAgain };
inline constexpr Names<GpuPace> kGpuPaces{"pace", {{GpuPace::kOnce, "once"}, {GpuPace::kAgain, "again"}}};

/// What `at(clock in GHz)` makes at the clock of that pace; it has a member `power`, in W. Again and again it is the
/// highest clock found in 20 halvings, up to that of a burst, at which power is within the limit.
template <class At>
[[nodiscard]] auto at_clock_of(GpuPace pace, const GpuSpec& gpu, const At& at) {
  constexpr int kHalvings = 20;
  constexpr double kLeastOfClock = 0.1;
  auto best = at(gpu.sm.burst_clock);
  if (pace == GpuPace::kOnce || best.power <= gpu.power.limit) return best;
  double low = kLeastOfClock * gpu.sm.clock;
  double high = gpu.sm.burst_clock;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    auto made = at(middle);
    if (made.power <= gpu.power.limit) {
      low = middle;
      best = std::move(made);
    } else {
      high = middle;
    }
  }
  return best;
}

}  // namespace kernbench
