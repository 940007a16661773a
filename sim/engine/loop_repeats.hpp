// Loops that stand one in the other: which of their turns repeat others, and how many of them need not be simulated
// (adr/0047, 47.3 and 47.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/engine/calendar.hpp"
#include "sim/engine/repetition.hpp"

namespace kernbench {

/// Asked before each turn of the innermost loop. A turn of a loop is as another one when all that has been noted in it
/// is, and in the turns before it as far back as anything that is still on its way began.
class LoopRepeats {
 public:
  struct Loop {
    std::int64_t count = 1;
    std::int64_t alike = 1;  ///< turns after which addresses are served alike
  };
  using Loops = std::array<Loop, kRepeatedLoops>;  ///< from the outermost
  /// Of turns of the innermost loop that have not come: the first one, from `from` on, that is not as the one `period`
  /// turns later.
  using AlikeUntil = std::function<std::int64_t(std::int64_t from, std::int64_t period)>;
  /// By loop: the turns in which what is on its way began, of the loop itself or, where that is outside the unit loop,
  /// of the unit loop; nothing where it did not begin in this time through the loop.
  using OnTheWay = std::array<std::optional<std::int64_t>, kRepeatedLoops>;

  /// What is on its way outside loop `unit` is counted in that loop's turns.
  LoopRepeats(Calendar& calendar, Repetition& repetition, std::size_t unit)
      : calendar_(calendar), repetition_(repetition), unit_(unit) {}

  /// The first turn begins. Without `alike_until` all turns but the loops' last ones are alike.
  void begin(const Loops& loops, AlikeUntil alike_until = {});

  /// So many turns of a loop.
  struct Passed {
    std::size_t loop = kRepeatedLoops - 1;
    std::int64_t turns = 0;
    std::int64_t innermost = 0;  ///< turns of the innermost loop in them
  };
  /// Before the innermost loop's turn `next`, counted over all loops and above 0, when those before it are done or
  /// passed over: what is passed over now.
  Passed pass(std::int64_t next, const OnTheWay& on_the_way);

 private:
  struct Turn {
    std::uint64_t digest = 0;
    Picoseconds end;
    std::int64_t units = 0;  ///< turns of the unit loop that were simulated in it
  };
  struct State {
    Loop loop{};
    std::int64_t innermost = 1;  ///< turns of the innermost loop in a turn
    std::vector<Turn> turns{};   ///< of this time through the loop
    std::int64_t next = 0;       ///< turn
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
  /// Back from the last, so many turns equal those a period earlier: at least `compared`, and all that anything known
  /// ahead can reach into. Nothing where they do not.
  [[nodiscard]] std::optional<std::size_t> repeated(const State& state, std::size_t period, std::size_t compared) const;
  /// Turns of this loop, back from its last, in which what is on its way began; nothing where that is not in this loop.
  [[nodiscard]] std::optional<std::size_t> begun(std::size_t i, std::optional<std::int64_t> on_the_way) const;
  std::int64_t turns_to_pass(std::size_t i, std::int64_t next, std::optional<std::int64_t> on_the_way);
  /// After a period that was measured: how often it comes again at once; 0: it does not.
  [[nodiscard]] std::int64_t times(const State& state, std::size_t period, std::size_t begun, std::int64_t next) const;
  void look_for_period(std::size_t i, std::size_t begun);

  Calendar& calendar_;
  Repetition& repetition_;
  std::size_t unit_;
  AlikeUntil alike_until_;
  std::array<State, kRepeatedLoops> loops_{};
};

}  // namespace kernbench
