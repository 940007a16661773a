// What every picosecond of a PE went to (adr/0033-the-ledger.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"
#include "sim/engine/reason.hpp"

namespace kernbench {

/// Of a moment, as results name it (33.3).
enum class Cause : std::uint8_t {
  kMac,
  kEpilogue,
  kHbm,
  kLinks,
  kTcmPort,
  kCredits,
  kLatency,
  kFetch,
  kReceive,
  kDrain,
  kControl,
  kUntold
};
inline constexpr std::size_t kCauseCount = 12;
inline constexpr Names<Cause> kCauses{"cause",
                                      {{Cause::kMac, "mac"},
                                       {Cause::kEpilogue, "epilogue"},
                                       {Cause::kHbm, "hbm"},
                                       {Cause::kLinks, "links"},
                                       {Cause::kTcmPort, "tcm_port"},
                                       {Cause::kCredits, "credits"},
                                       {Cause::kLatency, "latency"},
                                       {Cause::kFetch, "fetch"},
                                       {Cause::kReceive, "receive"},
                                       {Cause::kDrain, "drain"},
                                       {Cause::kControl, "control"},
                                       {Cause::kUntold, "untold"}}};

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

  /// The array has worked in (from, to]; it could start because of `reason`.
  void work(Picoseconds from, Picoseconds to, Reason reason);

  // The program that runs on the PE: its time between two waits is `control`.
  /// It makes a call at `now`: the reason of what it starts.
  Reason called(Picoseconds now);
  /// It goes on at `now`, after a wait since `from` that ended for this reason.
  void waited(Picoseconds from, Picoseconds now, Reason reason);
  /// Or with the arrival of a message.
  void received(Picoseconds from, Picoseconds now);

  /// Of (0, end]: what comes after the array's last work is followed back from the interval that ends last.
  [[nodiscard]] LedgerTotals close(Picoseconds end);

 private:
  struct Interval {
    Picoseconds from;
    Picoseconds to;
    Reason before = kNoReason;
    Cause cause = Cause::kUntold;
  };

  /// Divides (from, to] among the intervals that lead to `reason`.
  void charge(Picoseconds from, Picoseconds to, Reason reason);
  [[nodiscard]] const Interval* find(Reason reason) const;
  void forget();

  bool kept_;
  std::deque<Interval> intervals_;  ///< those that may still be asked for
  Reason first_ = 0;                ///< of intervals_
  Reason latest_ = kNoReason;       ///< the one that ends last
  Picoseconds latest_end_{};
  Picoseconds worked_{};  ///< until then all is charged
  Reason program_ = kNoReason;
  Picoseconds program_at_{};
  LedgerTotals totals_;
};

}  // namespace kernbench
