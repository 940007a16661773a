#include "sim/engine/loop_repeats.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

namespace {

/// Earlier turns like the last one that may be a period ago.
constexpr std::size_t kMostTried = 4;
/// A loop whose turns have not repeated themselves by then is simulated.
constexpr std::size_t kMostTurns = 512;

}  // namespace

void LoopRepeats::begin(const Loops& loops, AlikeUntil alike_until) {
  alike_until_ = std::move(alike_until);
  std::int64_t innermost = 1;
  for (std::size_t i = kRepeatedLoops; i-- > 0;) {
    loops_.at(i) = {.loop = loops.at(i), .innermost = innermost};
    innermost *= loops.at(i).count;
  }
  static_cast<void>(repetition_.take_digest());
}

void LoopRepeats::close(std::size_t i, const Turn& turn) {
  State& state = loops_.at(i);
  if (state.turns.size() < kMostTurns) state.turns.push_back(turn);
  if (++state.next < state.loop.count || i == 0) return;
  Turn outer{0, turn.end, 0};
  for (const Turn& inner : state.turns) {
    outer.digest = Repetition::mixed(outer.digest, inner.digest);
    outer.units += inner.units;
  }
  if (i == unit_ + 1) outer.units = 1;
  state.turns.clear();
  state.next = 0;
  state.measured.reset();
  state.wait_until = 0;
  state.passed = false;
  close(i - 1, outer);
}

LoopRepeats::Passed LoopRepeats::pass(std::int64_t next, const OnTheWay& on_the_way) {
  constexpr std::size_t innermost = kRepeatedLoops - 1;
  close(innermost, {repetition_.take_digest(), calendar_.now(), unit_ == innermost ? 1 : 0});
  // The outermost loop that is between two turns.
  std::size_t i = 0;
  while (next % loops_.at(i).innermost != 0) ++i;
  const std::int64_t turns = turns_to_pass(i, next, on_the_way.at(i));
  loops_.at(i).next += turns;
  return {i, turns, turns * loops_.at(i).innermost};
}

std::optional<std::size_t> LoopRepeats::begun(std::size_t i, std::optional<std::int64_t> on_the_way) const {
  if (!on_the_way) return {};
  if (i > unit_) return static_cast<std::size_t>(*on_the_way);
  const std::vector<Turn>& turns = loops_.at(i).turns;
  std::size_t back = 0;
  for (std::int64_t units = *on_the_way; units > 0; ++back) {
    if (back == turns.size()) return {};
    units -= turns[turns.size() - 1 - back].units;
  }
  return back;
}

std::optional<std::size_t> LoopRepeats::repeated(const State& state, std::size_t period, std::size_t compared) const {
  const std::vector<Turn>& turns = state.turns;
  const std::size_t last = turns.size();
  const auto ago = [&](std::size_t back) { return calendar_.now() - turns[last - 1 - back].end; };
  while (compared + period + 1 < last && ago(compared) <= repetition_.reach()) ++compared;
  if (compared + period + 1 > last || ago(compared) <= repetition_.reach()) return {};
  for (std::size_t back = 0; back < compared; ++back) {
    if (turns[last - 1 - back].digest != turns[last - 1 - back - period].digest) return {};
  }
  return compared;
}

std::int64_t LoopRepeats::turns_to_pass(std::size_t i, std::int64_t next, std::optional<std::int64_t> on_the_way) {
  State& state = loops_.at(i);
  const std::size_t now = state.turns.size();
  if (state.passed || now == kMostTurns || now < state.wait_until) return 0;
  const std::optional<std::size_t> back = begun(i, on_the_way);
  if (!back) return 0;
  if (!state.measured) {
    look_for_period(i, *back);
    return 0;
  }
  const std::size_t period = state.measured->period;
  if (now < state.measured->turn + period) return 0;
  state.measured.reset();
  const std::int64_t most = times(state, period, *back, next);
  const std::int64_t passed = most > 0 ? repetition_.repeat(i, most, calendar_.now()) : 0;
  if (passed == 0) {
    state.wait_until = 2 * now;  // each question costs
    return 0;
  }
  state.passed = true;
  const std::int64_t turns = passed * static_cast<std::int64_t>(period);
  state.turns.back().digest = Repetition::mixed(state.turns.back().digest, static_cast<std::uint64_t>(turns));
  return turns;
}

std::int64_t LoopRepeats::times(const State& state, std::size_t period, std::size_t begun, std::int64_t next) const {
  const auto turns = static_cast<std::int64_t>(period);
  const std::int64_t most = (state.loop.count - 1 - state.next) / turns;
  if (most <= 0) return 0;
  const std::optional<std::size_t> compared = repeated(state, period, begun + period);
  if (!compared || !alike_until_) return compared ? most : 0;
  const std::int64_t earlier = static_cast<std::int64_t>(*compared + period) * state.innermost;
  const std::int64_t until = alike_until_(next - earlier, turns * state.innermost);
  return until < next ? 0 : std::min(most, 1 + (until - next) / (turns * state.innermost));
}

/// A turn like the last one may have come a period ago.
void LoopRepeats::look_for_period(std::size_t i, std::size_t begun) {
  State& state = loops_.at(i);
  const std::size_t now = state.turns.size();
  const auto alike = static_cast<std::size_t>(state.loop.alike);
  for (std::size_t period = alike, tried = 0; period < now && tried < kMostTried; period += alike) {
    if (state.turns[now - 1 - period].digest != state.turns[now - 1].digest) continue;
    ++tried;
    if (state.loop.count - 1 - state.next < 2 * static_cast<std::int64_t>(period)) break;
    if (!repeated(state, period, begun + 1)) continue;
    state.measured = State::Measured{now, period};
    repetition_.remember(i, calendar_.now());
    break;
  }
}

}  // namespace kernbench
