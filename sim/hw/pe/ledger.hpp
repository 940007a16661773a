// What every picosecond of a PE went to (adr/0033-the-ledger.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/engine/reason.hpp"
#include "sim/engine/repetition.hpp"
#include "sim/hw/pe/cause.hpp"

namespace kernbench {

/// Of what the array gives back, or hands on: before it the array worked.
inline constexpr Reason kArrayAtWork = -2;

/// Time by cause.
class LedgerTotals {
 public:
  [[nodiscard]] Picoseconds of(Cause cause) const { return times_[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] Picoseconds of_array() const;
  void add(Cause cause, Picoseconds time) { times_[static_cast<std::size_t>(cause)] += time; }
  /// Those of `other`, `times` times.
  void add(const LedgerTotals& other, std::int64_t times);
  bool operator==(const LedgerTotals& other) const = default;
  [[nodiscard]] Picoseconds sum() const;

 private:
  std::array<Picoseconds, kCauseFacts.size()> times_{};
};

/// Units tell it their intervals, and hand on the reason that it gives for each; the array tells when it works.
class Ledger : public Repeated {
 public:
  /// One that is not kept has no intervals and no totals.
  explicit Ledger(bool kept) : kept_(kept) {}

  /// From now on all that it is told is noted there (adr/0047).
  void follow(Repetition& repetition) {
    repetition_ = &repetition;
    repetition.count(*this);
    kept_intervals_ = kRememberedInLoops;
    look_at_ = kept_intervals_ + kForgotten;
  }
  void remember(std::size_t loop) override;
  [[nodiscard]] std::int64_t repeats(std::size_t loop) override;
  void repeat(std::size_t loop, std::int64_t times, Picoseconds turn) override;

  /// (from, to] has this cause; it began when `before` had ended. An empty interval is what was before it.
  Reason add(Cause cause, Picoseconds from, Picoseconds to, Reason before) {
    return !kept_ || to <= from ? before : add_some(cause, from, to, before);
  }

  /// What `reason` tells of came another way than its intervals say: since `from`, for this cause, after `before`.
  void came_by(Reason reason, Cause cause, Picoseconds from, Reason before);

  /// A unit has worked on one thing after the other: on this one in (start, end], on the one before until `before_end`,
  /// told as `before`. What it waited for came at `start`, because of `input`: then what held that up is what
  /// (before_end, end] goes to, since the unit delays all alike.
  struct Delivery {
    Picoseconds before_end;
    Reason before = kNoReason;
    Picoseconds start;
    Picoseconds end;
    Reason input = kNoReason;
    bool queued = false;  ///< the unit was at work when what it needed had come
  };
  Reason deliver(Cause own, const Delivery& delivery);

  /// The array has worked in (from, to], since `filled` on as many MACs as it can, before on loads of weights, skew and
  /// padding; it could start because of `reason`.
  void work(Picoseconds from, Picoseconds filled, Picoseconds to, Reason reason);

  // The program that runs on the PE: its time between two waits is `control`.
  /// It makes a call at `now`: the reason of what it starts.
  Reason called(Picoseconds now);
  /// It goes on at `now`, after a wait since `from` that ended for this reason.
  void waited(Picoseconds from, Picoseconds now, Reason reason);
  /// Or with the arrival of a message: `cause` is receive or barrier.
  void received(Picoseconds from, Picoseconds now, Cause cause = Cause::kReceive);

  /// What comes at `at` because of what goes on elsewhere: all until then has this cause (33.10).
  Reason elsewhere(Cause cause, Picoseconds at) { return add(cause, {}, at, kNoReason); }

  /// Both divide (0, end]: what comes after the array's last work is followed back from the interval that ends last.
  struct Closed {
    LedgerTotals time;  ///< the array's work, and what it waited for (33.1)
    LedgerTotals path;  ///< of the critical path (33.6)
    /// For which what is of the memory has to work, whatever else is faster; 0 where nobody says it.
    Picoseconds memory{};
    /// Time in which the array did not work.
    [[nodiscard]] Picoseconds waits() const;
    /// What a run without the cause could save at most (33.6).
    [[nodiscard]] Picoseconds worth(Cause cause) const;
    /// The cause that is worth most, or the array where it hardly ever waits.
    [[nodiscard]] Cause limit() const;
    static constexpr std::int64_t kLittle = 20;  ///< part of the window
  };
  [[nodiscard]] Closed close(Picoseconds end);

 private:
  struct Interval {
    Picoseconds from;
    Picoseconds to;
    Reason before = kNoReason;
    // The critical path to its end: that of `path_before` until `path_from`, since then `path_cause`.
    Picoseconds path_from;
    Reason path_before = kNoReason;
    Cause cause = Cause::kUntold;
    Cause path_cause = Cause::kUntold;
    std::uint32_t grown = 0;  ///< in grown_: by what has been passed over since `path_before`
  };

  /// When a loop began its turn.
  struct Remembered {
    Reason next = 0;  ///< interval
    Picoseconds worked;
    Picoseconds passed_over;
    LedgerTotals time;
  };
  /// How the critical paths to the intervals of a turn grow from turn to turn. Each is led up to by another one, of the
  /// same turn or an earlier one, so that all of them lead to some that go round: every `turns` turns the path to each
  /// interval is longer by `by`.
  struct Growth {
    struct Round {
      std::int64_t turns = 1;
      LedgerTotals by;
    };
    Reason turn = 0;                   ///< intervals of a turn
    std::vector<std::uint32_t> round;  ///< in `rounds`, by interval of the turn
    std::vector<Round> rounds;         ///< the first: of the array's work without a pause
  };
  /// How the path to the beginning of an interval's last part comes from that to the beginning of the same of `before`:
  /// intervals may still go on.
  struct Step {
    Reason before = kNoReason;
    bool array = false;  ///< the array's work, which has not paused since before the turn
    LedgerTotals by;
    bool operator==(const Step&) const = default;
  };
  /// Turns that were passed over.
  struct Jump {
    Reason at = 0;  ///< the first interval after them
    Reason turn = 0;
    std::vector<std::uint32_t> grown;  ///< in grown_, by interval of the turn before
    Reason array = kNoReason;          ///< the array's work without a pause, where it began before that turn
    LedgerTotals of_array;             ///< by which it has grown, in the last jumps that have the same
    std::ptrdiff_t array_jumps = 0;    ///< so many
  };
  [[nodiscard]] Step step_to(Reason reason, Reason turn) const;
  /// Whether each of the last `turns` turns has had the steps of the one before it.
  [[nodiscard]] bool had_same_steps(Reason turn, std::int64_t turns) const;
  /// Of the last turn of a loop, of so many intervals; nothing where the turns before it have not had the same steps.
  [[nodiscard]] std::optional<Growth> growth(Reason turn, Picoseconds at_work) const;
  /// In grown_: what all that has been passed over since `before` adds to the path to it.
  [[nodiscard]] std::uint32_t grown_since(Reason before);
  std::uint32_t kept_growth(const LedgerTotals& grown);
  [[nodiscard]] Reason next() const { return first_ + static_cast<Reason>(intervals_.size()); }
  /// The time of the run at which the calendar is at `at`.
  [[nodiscard]] Picoseconds since_start(Picoseconds at) const { return at > passed_at_ ? at + passed_over_ : at; }
  void note(Cause cause, Picoseconds from, Picoseconds to, Reason before);

  // Both add an interval that is not empty; the first may let the last one go on.
  Reason add_some(Cause cause, Picoseconds from, Picoseconds to, Reason before);
  Reason append(Cause cause, Picoseconds from, Picoseconds to, Reason before);
  [[nodiscard]] static bool goes_on(const Interval& last, Cause cause, Picoseconds from);
  [[nodiscard]] std::size_t place_of(Reason reason) const { return static_cast<std::size_t>(reason - first_); }
  [[nodiscard]] const Interval& interval(Reason reason) const { return intervals_[place_of(reason)]; }
  struct Part {
    Cause cause = Cause::kUntold;
    Picoseconds length;
  };
  /// Divides the `length` before `to` among the intervals that lead to `reason`, the latest first; what the array's
  /// work, or the start of the run, ends is not among them.
  const std::vector<Part>& divide(Picoseconds length, Picoseconds to, Reason reason);
  /// The array works in (from, to]; the critical path to that ends with `path_before`.
  Reason array_works(Cause cause, Picoseconds from, Picoseconds to, Reason path_before);
  /// The interval that the critical path of what came at `at` for this reason ends with; kNoReason where none is told.
  [[nodiscard]] Reason path_end(Picoseconds at, Reason reason) const;
  /// Critical paths to the ends of some of the first intervals, and of what led up to these.
  class Paths {
   public:
    enum class Wanted : std::uint8_t { kNo, kByOne, kYes };
    /// Of as many as `wanted` has, from the first; kByOne is its own mark of those that lead to one other.
    Paths(const Ledger& ledger, std::vector<Wanted> wanted);
    /// Of what came at `at`, when its path ends with that interval, or with what `end` stands for.
    [[nodiscard]] LedgerTotals to(Picoseconds at, Reason end) const;

    /// Of `sum`, the path to the end of `last`, makes the path until `at`.
    static void move_end(LedgerTotals& sum, const Interval& last, Picoseconds at);

   private:
    const Ledger& ledger_;
    std::vector<std::size_t> numbers_;  ///< in sums_, by place
    std::vector<LedgerTotals> sums_;
  };
  /// Forgets intervals that nobody asks for any more; of the critical paths through them it keeps the sums.
  void forget();
  void forget(std::size_t count);

  /// Intervals that are remembered whatever their age: what was submitted long ago may be done now.
  static constexpr std::size_t kRemembered = 4096;
  static constexpr std::size_t kRememberedInLoops = 65536;  ///< three turns of a loop that may be counted on
  static constexpr std::size_t kForgotten = kRemembered;    ///< at a time
  /// A `path_before` that stands for paths_[kPaths - it]: of what led up to the interval, now forgotten.
  static constexpr Reason kPaths = -3;

  bool kept_;
  std::vector<Interval> intervals_;  ///< those that may still be asked for, and the array's work
  Reason first_ = 0;                 ///< of intervals_
  std::vector<LedgerTotals> paths_;
  std::size_t kept_intervals_ = kRemembered;
  std::size_t look_at_ = kRemembered + kForgotten;  ///< intervals, before some are forgotten
  Reason latest_ = kNoReason;                       ///< the one that ends last
  Picoseconds latest_end_{};
  Picoseconds worked_{};      ///< until then all is charged
  Reason array_ = kNoReason;  ///< the array's last work
  Picoseconds longest_{};     ///< work of the array and of units that deliver: so far back reasons are asked for
  Reason program_ = kNoReason;
  Picoseconds program_at_{};
  LedgerTotals time_;
  std::vector<Part> parts_;  // scratch
  Repetition* repetition_ = nullptr;
  std::array<Remembered, kRepeatedLoops> remembered_{};
  Picoseconds passed_at_{INT64_MAX};  ///< of the calendar, when a loop was counted on last
  Picoseconds passed_over_{};
  std::vector<LedgerTotals> grown_{1};  ///< the first: by nothing
  std::vector<Jump> jumps_;             ///< over which an interval may still lead to another one
  std::optional<Growth> growth_;        ///< as repeats() found it
};

}  // namespace kernbench
