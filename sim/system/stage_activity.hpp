// Which stage of a run did what was counted for its energy (ADR-0036, 36.10).
#pragma once

#include <cstdint>

#include "sim/system/run_result.hpp"

namespace kernbench {

/// Gives each stage its part of the activity of a run on one PE, `conversions` of the vector operations to convert.
/// Every stage has none where parts do not add up to the whole: what messages, the SRAM or memories of other PEs take
/// belongs to no one stage.
void divide_activity(RunResult& run, std::int64_t conversions);

}  // namespace kernbench
