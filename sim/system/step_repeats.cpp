#include "sim/system/step_repeats.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

void StepRepeats::begin(const std::array<std::int64_t, kRepeatedLoops>& loops, std::vector<std::uint64_t> texts) {
  texts_ = std::move(texts);
  LoopRepeats::Loops counted;
  for (std::size_t i = 0; i < kRepeatedLoops; ++i) counted.at(i).count = loops.at(i);
  loops_.begin(counted, [this](std::int64_t from, std::int64_t period) { return alike_until(from, period); });
}

std::int64_t StepRepeats::pass(std::int64_t step) {
  if (step == 0) return 0;
  ++steps_;
  const auto is_complete = [](const Started& started) { return started.done->is_complete(); };
  started_.erase(started_.begin(), std::ranges::find_if_not(started_, is_complete));
  note_state();
  const std::int64_t on_the_way = started_.empty() ? 0 : steps_ - started_.front().step;
  const std::int64_t passed = loops_.pass(step, {on_the_way, on_the_way, on_the_way}).innermost;
  passed_over_ += passed;
  pe_.pass_composites(passed);  // one a step
  return passed;
}

/// Which of the steps before this one has started what is not done, and how far the PE is with that.
void StepRepeats::note_state() {
  for (const Started& started : started_) {
    if (!started.done->is_complete()) repetition_.note(static_cast<std::uint64_t>(steps_ - started.step));
  }
  pe_.note_state(repetition_);
}

std::int64_t StepRepeats::alike_until(std::int64_t from, std::int64_t period) const {
  const auto alike = std::mismatch(texts_.begin() + from, texts_.end() - period, texts_.begin() + from + period);
  return alike.first - texts_.begin();
}

}  // namespace kernbench
