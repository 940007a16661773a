// Whether work is done once or again and again: the clock that the SMs have meanwhile (adr/0057, 57.6).
#pragma once

#include <utility>

#include "sim/base/names.hpp"
#include "sim/machine/gpu/gpu_spec.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {

/// kOnce: each product has the clock of its burst; kAgain: the same again and again, under the highest clock that the
/// power limit allows.
enum class GpuPace { kOnce, kAgain };
inline constexpr Names<GpuPace> kGpuPaces{"pace", {{GpuPace::kOnce, "once"}, {GpuPace::kAgain, "again"}}};

/// What `under(highest clock of any product in GHz)` makes at that pace; it has a member `power`, in W. Again and again
/// it is the highest found in 20 halvings, from a tenth of sm.clock to all of it, at which power is within the limit;
/// the tenth where none is.
template <class Under>
[[nodiscard]] auto at_pace(GpuPace pace, const GpuSpec& gpu, const Under& under) {
  constexpr int kHalvings = 20;
  auto best = under(gpu.sm.clock);
  if (pace == GpuPace::kOnce || best.power <= gpu.power.limit) return best;
  double low = kLeastShareOfClock * gpu.sm.clock;
  best = under(low);
  double high = gpu.sm.clock;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    auto made = under(middle);
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
