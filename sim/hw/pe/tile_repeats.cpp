#include "sim/hw/pe/tile_repeats.hpp"

#include <numeric>

namespace kernbench {

void TileRepeats::begin(const TilePlan& plan) {
  repeats_ = plan.loops.size() == kRepeatedLoops;
  if (!repeats_) return;
  LoopRepeats::Loops loops;
  for (std::size_t i = 0; i < kRepeatedLoops; ++i) {
    std::int64_t alike = 1;
    for (const Bytes stride : plan.loops[i].strides) {
      alike = std::lcm(alike, interleaved_ / std::gcd(interleaved_, stride));
    }
    loops.at(i) = {plan.loops[i].count, alike};
  }
  tiles_of_output_ = plan.tiles / plan.outputs;
  loops_.begin(loops);
}

TileRepeats::Passed TileRepeats::pass(std::int64_t tile, const Pipeline& pipeline) {
  if (!repeats_ || tile == 0) return {};
  const std::int64_t tiles = pipeline.tiles_in_flight;
  const std::int64_t outputs = pipeline.outputs_in_flight;
  repetition_.note(static_cast<std::uint64_t>(tiles));
  repetition_.note(static_cast<std::uint64_t>(outputs));
  const auto along_k = outputs > 0 ? std::optional<std::int64_t>{} : tiles;
  const LoopRepeats::Passed passed = loops_.pass(tile, {outputs, outputs, along_k});
  return {passed.innermost, passed.loop > kOutputs ? 0 : passed.innermost / tiles_of_output_};
}

}  // namespace kernbench
