#include "benches/traces/events/trace_steps.hpp"

#include <algorithm>

namespace kernbench::traces {

std::optional<std::size_t> step_of(const RankTrace& trace, const GpuEvent& event) {
  const bool by_launch = trace.step_source == StepSource::kCpuAnnotations && event.launch != kNoId;
  const TracePs at = by_launch ? trace.launches[event.launch].start : event.start;
  const auto after = std::ranges::upper_bound(trace.steps, at, {}, &TraceStep::start);
  for (auto step = after; step != trace.steps.begin();) {
    --step;
    if (at < step->end) return static_cast<std::size_t>(step - trace.steps.begin());
  }
  return std::nullopt;
}

}  // namespace kernbench::traces
