// What every picosecond of a PE went to (adr/0033-the-ledger.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"
#include "sim/engine/reason.hpp"

namespace kernbench {

/// Of a moment, as results name it (33.3).
enum class Cause : std::uint8_t {
  kMac,
  kArrayFill,
  kEpilogue,
  kConvert,
  kHbm,
  kLinks,
  kTcmPort,
  kSetup,
  kCredits,
  kLatency,
  kFetch,
  kReceive,
  kDrain,
  kControl,
  kUntold
};
inline constexpr std::size_t kCauseCount = 15;
inline constexpr Names<Cause> kCauses{"cause",
                                      {{Cause::kMac, "mac"},
                                       {Cause::kArrayFill, "array_fill"},
                                       {Cause::kEpilogue, "epilogue"},
                                       {Cause::kConvert, "convert"},
                                       {Cause::kHbm, "hbm"},
                                       {Cause::kLinks, "links"},
                                       {Cause::kTcmPort, "tcm_port"},
                                       {Cause::kSetup, "setup"},
                                       {Cause::kCredits, "credits"},
                                       {Cause::kLatency, "latency"},
                                       {Cause::kFetch, "fetch"},
                                       {Cause::kReceive, "receive"},
                                       {Cause::kDrain, "drain"},
                                       {Cause::kControl, "control"},
                                       {Cause::kUntold, "untold"}}};

[[nodiscard]] constexpr bool is_array(Cause cause) { return cause == Cause::kMac || cause == Cause::kArrayFill; }

/// Of what the array gives back, or hands on: before it the array worked.
inline constexpr Reason kArrayAtWork = -2;

/// Time by cause.
class LedgerTotals {
 public:
  [[nodiscard]] Picoseconds of(Cause cause) const { return times_[static_cast<std::size_t>(cause)]; }
  void add(Cause cause, Picoseconds time) { times_[static_cast<std::size_t>(cause)] += time; }
  [[nodiscard]] Picoseconds sum() const;

 private:
  std::array<Picoseconds, kCauseCount> times_{};
};

/// Units tell it their intervals, and hand on the reason that it gives for each; the array tells when it works.
class Ledger {
 public:
  /// One that is not kept has no intervals and no totals.
  explicit Ledger(bool kept) : kept_(kept) {}

  /// (from, to] has this cause; it began when `before` had ended. An empty interval is what was before it.
  Reason add(Cause cause, Picoseconds from, Picoseconds to, Reason before);

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
  /// Or with the arrival of a message.
  void received(Picoseconds from, Picoseconds now);

  /// Both divide (0, end]: what comes after the array's last work is followed back from the interval that ends last.
  struct Closed {
    LedgerTotals time;  ///< the array's work, and what it waited for (33.1)
    LedgerTotals path;  ///< of the critical path (33.6)
    /// Time in which the array did not work.
    [[nodiscard]] Picoseconds waits() const;
    /// What a run without the cause could save at most.
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
    Cause cause = Cause::kUntold;
    LedgerTotals path;  ///< until `to`
  };

  [[nodiscard]] static bool goes_on(const Interval& last, Cause cause, Picoseconds from);
  [[nodiscard]] const Interval& interval(Reason reason) const {
    return intervals_[static_cast<std::size_t>(reason - first_)];
  }
  struct Part {
    Cause cause = Cause::kUntold;
    Picoseconds length;
  };
  /// Divides the `length` before `to` among the intervals that lead to `reason`, the latest first; what the array's
  /// work, or the start of the run, ends is not among them.
  const std::vector<Part>& divide(Picoseconds length, Picoseconds to, Reason reason);
  /// The critical path of what came at `at` for this reason.
  [[nodiscard]] LedgerTotals path_at(Picoseconds at, Reason reason) const;
  void forget();

  /// Intervals that are remembered whatever their age: what was submitted long ago may be done now.
  static constexpr std::size_t kRemembered = 4096;

  bool kept_;
  std::deque<Interval> intervals_;  ///< those that may still be asked for
  Reason first_ = 0;                ///< of intervals_
  Reason latest_ = kNoReason;       ///< the one that ends last
  Picoseconds latest_end_{};
  Picoseconds worked_{};   ///< until then all is charged
  Picoseconds longest_{};  ///< work of the array and of units that deliver: so far back reasons are asked for
  Reason program_ = kNoReason;
  Picoseconds program_at_{};
  LedgerTotals time_;
  LedgerTotals path_;        ///< of the array, until worked_
  std::vector<Part> parts_;  // scratch
};

}  // namespace kernbench
