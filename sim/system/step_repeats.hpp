// Where the steps of a program repeat themselves, and how many of them need not be simulated (adr/0047, 47.8).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/engine/completion.hpp"
#include "sim/engine/loop_repeats.hpp"
#include "sim/hw/pe/pe.hpp"

namespace kernbench {

/// Asked before each step of the one program that a PE runs.
class StepRepeats {
 public:
  /// Addresses `interleaved` bytes apart are served alike.
  StepRepeats(Pe& pe, Repetition& repetition, Bytes interleaved)
      : pe_(pe),
        repetition_(repetition),
        interleaved_(interleaved),
        loops_(pe.calendar(), repetition, kRepeatedLoops - 1) {}

  [[nodiscard]] Bytes interleaved() const { return interleaved_; }

  /// The program begins: `loops` of so many turns, the outermost first, whose innermost turns are steps. Two steps ask
  /// the same of the PE, at addresses that are served alike, if their texts are equal.
  void begin(const std::array<std::int64_t, kRepeatedLoops>& loops, std::vector<std::uint64_t> texts);
  /// A step has started what is done then.
  void started(const Completion& done) { started_.push_back({&done, steps_}); }
  /// Before step `step`, when those before it have been gone through or passed over: how many are passed over now.
  std::int64_t pass(std::int64_t step);
  /// Steps that were.
  [[nodiscard]] std::int64_t passed_over() const { return passed_over_; }

 private:
  struct Started {
    const Completion* done = nullptr;
    std::int64_t step = 0;  ///< of those gone through
  };

  void note_state();
  [[nodiscard]] std::int64_t alike_until(std::int64_t from, std::int64_t period) const;

  Pe& pe_;
  Repetition& repetition_;
  Bytes interleaved_;
  LoopRepeats loops_;
  std::vector<std::uint64_t> texts_;
  std::deque<Started> started_;  ///< the oldest that is not done, and what came after it
  std::int64_t steps_ = 0;       ///< gone through
  std::int64_t passed_over_ = 0;
};

}  // namespace kernbench
