#include "sim/hw/pe/tile_repeats.hpp"

#include <algorithm>
#include <numeric>

namespace kernbench {

namespace {

/// Earlier turns like the last one that may be a period ago.
constexpr std::size_t kMostTried = 4;
/// A loop whose turns have not repeated themselves by then is simulated.
constexpr std::size_t kMostTurns = 512;

}  // namespace

void TileRepeats::begin(const TilePlan& plan) {
  repeats_ = plan.loops.size() == kRepeatedLoops;
  if (!repeats_) return;
  std::int64_t tiles = plan.tiles;
  for (std::size_t i = 0; i < kRepeatedLoops; ++i) {
    const TileLoop& loop = plan.loops[i];
    tiles /= loop.count;
    std::int64_t alike = 1;
    for (const Bytes stride : loop.strides) alike = std::lcm(alike, interleaved_ / std::gcd(interleaved_, stride));
    loops_.at(i) = {.count = loop.count, .tiles = tiles, .outputs = tiles * plan.outputs / plan.tiles, .alike = alike};
  }
  static_cast<void>(repetition_.take_digest());
}

void TileRepeats::close(std::size_t i, const Turn& turn) {
  Loop& loop = loops_.at(i);
  if (loop.turns.size() < kMostTurns) loop.turns.push_back(turn);
  if (++loop.next < loop.count || i == 0) return;
  Turn outer{0, turn.end, 0};
  for (const Turn& inner : loop.turns) {
    outer.digest = Repetition::mixed(outer.digest, inner.digest);
    outer.outputs += inner.outputs;
  }
  if (i + 1 == kRepeatedLoops) outer.outputs = 1;
  loop.turns.clear();
  loop.next = 0;
  loop.measured.reset();
  loop.wait_until = 0;
  loop.passed = false;
  close(i - 1, outer);
}

TileRepeats::Passed TileRepeats::pass(std::int64_t tile, const Pipeline& pipeline) {
  if (!repeats_ || tile == 0) return {};
  repetition_.note(static_cast<std::uint64_t>(pipeline.tiles_in_flight));
  repetition_.note(static_cast<std::uint64_t>(pipeline.outputs_in_flight));
  close(kRepeatedLoops - 1, {repetition_.take_digest(), calendar_.now(), 0});
  // The outermost loop that is between two turns.
  std::size_t i = 0;
  while (tile % loops_.at(i).tiles != 0) ++i;
  const std::int64_t turns = turns_to_pass(i, pipeline);
  loops_.at(i).next += turns;
  return {turns * loops_.at(i).tiles, turns * loops_.at(i).outputs};
}

std::optional<std::size_t> TileRepeats::begun(std::size_t i, const Pipeline& pipeline) const {
  const std::vector<Turn>& turns = loops_.at(i).turns;
  if (i + 1 == kRepeatedLoops) {
    if (pipeline.outputs_in_flight > 0) return {};
    return static_cast<std::size_t>(pipeline.tiles_in_flight);
  }
  std::size_t back = 0;
  for (std::int64_t outputs = pipeline.outputs_in_flight; outputs > 0; ++back) {
    if (back == turns.size()) return {};
    outputs -= turns[turns.size() - 1 - back].outputs;
  }
  return back;
}

bool TileRepeats::may_repeat(const Loop& loop, std::size_t period, std::size_t compared) const {
  const std::vector<Turn>& turns = loop.turns;
  const std::size_t last = turns.size();
  const auto ago = [&](std::size_t back) { return calendar_.now() - turns[last - 1 - back].end; };
  while (compared + period + 1 < last && ago(compared) <= repetition_.reach()) ++compared;
  if (compared + period + 1 > last || ago(compared) <= repetition_.reach()) return false;
  for (std::size_t back = 0; back < compared; ++back) {
    if (turns[last - 1 - back].digest != turns[last - 1 - back - period].digest) return false;
  }
  return true;
}

std::int64_t TileRepeats::turns_to_pass(std::size_t i, const Pipeline& pipeline) {
  Loop& loop = loops_.at(i);
  const std::size_t now = loop.turns.size();
  if (loop.passed || now == kMostTurns || now < loop.wait_until) return 0;
  const std::optional<std::size_t> back = begun(i, pipeline);
  if (!back) return 0;
  if (loop.measured && now < loop.measured->turn + loop.measured->period) return 0;
  if (loop.measured) {
    const std::size_t period = loop.measured->period;
    loop.measured.reset();
    const std::int64_t times = (loop.count - 1 - loop.next) / static_cast<std::int64_t>(period);
    const std::int64_t passed =
        times > 0 && may_repeat(loop, period, *back + period) ? repetition_.repeat(i, times, calendar_.now()) : 0;
    if (passed > 0) {
      loop.passed = true;
      const std::int64_t turns = passed * static_cast<std::int64_t>(period);
      loop.turns.back().digest = Repetition::mixed(loop.turns.back().digest, static_cast<std::uint64_t>(turns));
      return turns;
    }
    loop.wait_until = 2 * now;  // each question costs
    return 0;
  }
  // A turn like the last one may have come a period ago.
  const auto alike = static_cast<std::size_t>(loop.alike);
  for (std::size_t period = alike, tried = 0; period < now && tried < kMostTried; period += alike) {
    if (loop.turns[now - 1 - period].digest != loop.turns[now - 1].digest) continue;
    ++tried;
    if (loop.count - 1 - loop.next < 2 * static_cast<std::int64_t>(period)) break;
    if (!may_repeat(loop, period, *back + 1)) continue;
    loop.measured = Loop::Measured{now, period};
    repetition_.remember(i, calendar_.now());
    break;
  }
  return 0;
}

}  // namespace kernbench
