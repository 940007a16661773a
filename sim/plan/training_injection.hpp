// Disturbances that a training run is given on purpose, so that it is known what an analysis has to find (adr/0041).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/plan/training_step.hpp"

namespace kernbench {

/// Of one rank, in steps [first_step, last_step]; exactly one of the three.
struct TrainingInjection {
  std::int32_t rank = 0;
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  std::optional<std::int64_t> clock = {};  ///< the package's, in millionths of the machine's
  std::optional<Picoseconds> delay = {};   ///< by which the host begins the step later
  std::optional<Picoseconds> extra = {};   ///< by which GEMM `gemm` takes longer
  std::size_t gemm = 0;                    ///< index in TrainingStep::gemms

  [[nodiscard]] bool in(std::int64_t step) const { return first_step <= step && step <= last_step; }
};

/// What it acts on.
struct InjectionLimits {
  std::int32_t ranks = 0;
  std::int64_t steps = 0;
  const TrainingStep* step = nullptr;
};

/// Of a text such as "rank=2,steps=3..5,clock=0.9", "rank=1,steps=2,delay=200us" or
/// "rank=0,gemm=layer1.wgrad,extra=50us" (a GEMM by name or index, all steps where none is named). Throws ConfigError
/// that names `place`, the text, the field, and what was expected.
[[nodiscard]] TrainingInjection parse_injection(std::string_view text, const InjectionLimits& limits,
                                                std::string_view place);
/// Of several, with ; between them. Throws ConfigError, too, where two set one rank's clock in one step.
[[nodiscard]] std::vector<TrainingInjection> parse_injections(std::string_view text, const InjectionLimits& limits,
                                                              std::string_view place);

/// The rank's clock in a step, in millionths of the machine's.
[[nodiscard]] std::int64_t injected_clock(const std::vector<TrainingInjection>& injections, std::int32_t rank,
                                          std::int64_t step);
[[nodiscard]] Picoseconds injected_delay(const std::vector<TrainingInjection>& injections, std::int32_t rank,
                                         std::int64_t step);
[[nodiscard]] Picoseconds injected_extra(const std::vector<TrainingInjection>& injections, std::int32_t rank,
                                         std::int64_t step, std::size_t gemm);

}  // namespace kernbench
