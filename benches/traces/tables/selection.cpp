#include "benches/traces/tables/selection.hpp"

#include <algorithm>

#include "benches/traces/events/trace_steps.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::size_t kLongestNumber = 18;  // digits

std::int64_t parse_step(const std::string& text, const std::string& whole) {
  const bool is_number =
      !text.empty() && text.size() <= kLongestNumber && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) throw ConfigError("--steps " + whole + ": expected a step or a range of them, as 3 or 3..5");
  return std::stoll(text);
}

bool is_in(const StepRange& range, const TraceStep& step) {
  return step.number >= range.first && step.number <= range.last;
}

}  // namespace

StepRange parse_steps(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {parse_step(text, text), parse_step(text, text)};
  const StepRange range{parse_step(text.substr(0, dots), text), parse_step(text.substr(dots + 2), text)};
  if (range.first > range.last) throw ConfigError("--steps " + text + ": expected the first step before the last");
  return range;
}

void require_steps(const std::vector<PlacedTrace>& traces, const TraceSelection& selection) {
  if (!selection.steps) return;
  for (const PlacedTrace& placed : traces) {
    const std::vector<TraceStep>& steps = placed.trace.steps;
    const std::string name = printable(placed.trace.file.string());
    if (steps.empty()) {
      throw ConfigError(name +
                        ": has no steps (annotations ProfilerStep#N): leave --steps out, or name what begins one " +
                        "with --step-mark REGEX");
    }
    if (std::ranges::any_of(steps, [&](const TraceStep& step) { return is_in(*selection.steps, step); })) continue;
    const auto [least, most] = std::ranges::minmax_element(steps, {}, &TraceStep::number);
    throw ConfigError(name + ": has none of the steps " + std::to_string(selection.steps->first) + ".." +
                      std::to_string(selection.steps->last) + ": it has " + std::to_string(least->number) + ".." +
                      std::to_string(most->number));
  }
}

std::vector<TraceId> selected_events(const RankTrace& trace, const TraceSelection& selection) {
  std::vector<TraceId> events;
  for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
    const GpuEvent& event = trace.gpu_events[i];
    if (!selection.unlinked && !trace.counts(event)) continue;
    if (selection.steps) {
      const std::optional<std::size_t> step = step_of(trace, event);
      if (!step || !is_in(*selection.steps, trace.steps[*step])) continue;
    }
    events.push_back(static_cast<TraceId>(i));
  }
  return events;
}

}  // namespace kernbench::traces
