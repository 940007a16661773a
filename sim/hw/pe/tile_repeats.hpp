// Where the tiles of a composite repeat themselves, and how many of them need not be simulated (adr/0047).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engine/calendar.hpp"
#include "sim/hw/pe/pipeline.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

/// Asked at each dispatch. A turn of a loop is as another one when all that has been noted in it is, and in the turns
/// before it as far back as anything that is still on its way began.
class TileRepeats {
 public:
  /// Addresses `interleaved` bytes apart are served alike.
  TileRepeats(Calendar& calendar, Repetition& repetition, Bytes interleaved)
      : calendar_(calendar), repetition_(repetition), interleaved_(interleaved) {}

  /// A composite begins.
  void begin(const TilePlan& plan);

  struct Passed {
    std::int64_t tiles = 0;
    std::int64_t outputs = 0;
  };
  /// Before the plan's tile `tile`, when those before it have been dispatched or passed over: what is passed over now.
  Passed pass(std::int64_t tile, const Pipeline& pipeline);

 private:
  struct Turn {
    std::uint64_t digest = 0;
    Picoseconds end;
    std::int64_t outputs = 0;  ///< that were simulated in it
  };
  struct Loop {
    std::int64_t count = 1;
    std::int64_t tiles = 1;     ///< of a turn
    std::int64_t outputs = 0;   ///< of a turn
    std::int64_t alike = 1;     ///< turns after which addresses are served alike
    std::vector<Turn> turns{};  ///< of this time through the loop
    std::int64_t next = 0;      ///< turn
    /// A turn whose counts are remembered, and how many turns it is until the same comes again.
    struct Measured {
      std::size_t turn = 0;
      std::size_t period = 0;
    };
    std::optional<Measured> measured{};
    std::size_t wait_until = 0;  ///< turn, before which nobody asks again
    bool passed = false;         ///< over what can be
  };

  /// A turn of loop `i` is over.
  void close(std::size_t i, const Turn& turn);
  [[nodiscard]] bool may_repeat(const Loop& loop, std::size_t period, std::size_t compared) const;
  /// Turns of this loop, back from its last, in which what is on its way began; nothing where that is not in this loop.
  [[nodiscard]] std::optional<std::size_t> begun(std::size_t i, const Pipeline& pipeline) const;
  std::int64_t turns_to_pass(std::size_t i, const Pipeline& pipeline);

  Calendar& calendar_;
  Repetition& repetition_;
  Bytes interleaved_;
  std::array<Loop, kRepeatedLoops> loops_{};
  bool repeats_ = false;
};

}  // namespace kernbench
