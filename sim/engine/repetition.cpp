#include "sim/engine/repetition.hpp"

#include <algorithm>

namespace kernbench {

void Repetition::remember(std::size_t loop, Picoseconds now) {
  before_.at(loop) = now + passed_over_;
  for (Counter& counter : counters_) counter.before.at(loop) = *counter.value;
  for (Repeated* sums : sums_) sums->remember(loop);
}

bool Repetition::repeat(std::size_t loop, std::int64_t times, Picoseconds now) {
  const Picoseconds turn = now + passed_over_ - before_.at(loop);
  if (!std::ranges::all_of(sums_, [loop](Repeated* sums) { return sums->repeats(loop); })) return false;
  passed_over_ += times * turn;
  for (const Counter& counter : counters_) {
    const std::int64_t grown = *counter.value - counter.before.at(loop);
    *counter.value =
        checked_add(*counter.value, checked_multiply(times, grown, "a count of the run", "times"), "a count", "times");
  }
  for (Repeated* sums : sums_) sums->repeat(loop, times, turn);
  return true;
}

}  // namespace kernbench
