// Where the tiles of a composite repeat themselves, and how many of them need not be simulated (adr/0047).
#pragma once

#include <cstdint>

#include "sim/engine/loop_repeats.hpp"
#include "sim/hw/pe/pipeline.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

/// Asked at each dispatch.
class TileRepeats {
 public:
  /// Addresses `interleaved` bytes apart are served alike.
  TileRepeats(Calendar& calendar, Repetition& repetition, Bytes interleaved)
      : repetition_(repetition), interleaved_(interleaved), loops_(calendar, repetition, kOutputs) {}

  /// A composite begins.
  void begin(const TilePlan& plan);

  struct Passed {
    std::int64_t tiles = 0;
    std::int64_t outputs = 0;
  };
  /// Before the plan's tile `tile`, when those before it have been dispatched or passed over: what is passed over now.
  Passed pass(std::int64_t tile, const Pipeline& pipeline);

 private:
  static constexpr std::size_t kOutputs = 1;  ///< a turn of this loop is an output

  Repetition& repetition_;
  Bytes interleaved_;
  LoopRepeats loops_;
  std::int64_t tiles_of_output_ = 1;
  bool repeats_ = false;
};

}  // namespace kernbench
