#include "sim/engine/repetition.hpp"

#include <algorithm>
#include <numeric>

namespace kernbench {

void Repetition::remember(std::size_t loop, Picoseconds now) {
  before_.at(loop) = now + passed_over_;
  for (Counter& counter : counters_) counter.before.at(loop) = *counter.value;
  for (Repeated* sums : sums_) sums->remember(loop);
}

std::int64_t Repetition::repeat(std::size_t loop, std::int64_t times, Picoseconds now) {
  const Picoseconds turn = now + passed_over_ - before_.at(loop);
  std::int64_t together = 1;
  for (Repeated* sums : sums_) times = std::min(times, sums->most_repeats(loop));
  for (Repeated* sums : sums_) {
    const std::int64_t of_each = sums->repeats(loop);
    if (of_each == 0) return 0;
    together = std::lcm(together, of_each);
    if (together > times) return 0;
  }
  times -= times % together;
  passed_over_ += times * turn;
  for (const Counter& counter : counters_) {
    const std::int64_t grown = *counter.value - counter.before.at(loop);
    *counter.value =
        checked_add(*counter.value, checked_multiply(times, grown, "a count of the run", "times"), "a count", "times");
  }
  for (Repeated* sums : sums_) sums->repeat(loop, times, turn);
  return times;
}

}  // namespace kernbench
