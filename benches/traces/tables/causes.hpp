// What made a GEMM call take longer than it can: another kernel, communication beside it, the clock, and what these do
// not explain (ADR-0040, 40.24 to 40.28).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benches/traces/tables/kernel_samples.hpp"

namespace kernbench::traces {

/// The time of a kernel that no communication runs beside.
struct Baseline {
  TracePs time = 0;
  std::size_t samples = 0;  ///< calls that it is the median of
  bool of_sweep = false;    ///< of all points; else of the call's own
};

inline constexpr std::size_t kLeastClock = 5;  ///< other kernels of a rank that its clock rests on

struct GemmCause {
  KernelSample call;
  std::optional<Baseline> base;  ///< none, as where the shape is not known: nothing below is known
  TracePs best = 0;              ///< the smallest baseline of the kernels that the sweep has for the shape
  TracePs kernel = 0;            ///< base - best
  TracePs contention = 0;
  TracePs clock = 0;
  TracePs unexplained = 0;             ///< what is left: the four add up to duration - best
  std::size_t contention_samples = 0;  ///< overlapped calls that its slope rests on; 0: contention is not known and 0
  std::size_t clock_samples = 0;       ///< kernels of the rank; less than 5: clock is not known and 0

  [[nodiscard]] bool clock_known() const { return clock_samples >= kLeastClock; }
  [[nodiscard]] TracePs excess() const { return call.duration - best; }
};

/// The smallest value at which half of the weights are reached; 0 where there is no weight. Weights are 0 or more.
[[nodiscard]] double weighted_median(std::vector<std::pair<double, double>> values_and_weights);

/// The median, of an even number the mean of the middle two, rounded down. Throws std::invalid_argument for no times.
[[nodiscard]] TracePs median_time(std::vector<TracePs> times);

/// What communication costs a kernel: a call of share s takes base · (1 + slope · s).
struct ContentionSlope {
  double slope = 0;         ///< by which part of the base time a call beside communication from end to end is longer
  std::size_t samples = 0;  ///< overlapped calls that it rests on; 0: it is not known and 0
};

/// Of one GEMM kernel at one point of the sweep.
struct KernelSlowdown {
  KernelKey key;
  std::size_t instances = 0;
  std::vector<TracePs> alone;       ///< durations of calls with less than 1 % of communication
  std::vector<TracePs> overlapped;  ///< of calls with more than 99 %
  std::optional<Baseline> base;     ///< none: there is no fit
  ContentionSlope slope;            ///< of all its calls
};

class GemmCauses {
 public:
  /// The traces have to outlive it.
  GemmCauses(const std::vector<PlacedTrace>& traces, const TraceSelection& selection);
  GemmCauses(const GemmCauses&) = delete;
  GemmCauses& operator=(const GemmCauses&) = delete;
  ~GemmCauses() = default;

  /// Of a call's kernel: an event that is the longest kernel of a call of this trace, one of those given. Throws
  /// std::invalid_argument where it is none.
  [[nodiscard]] GemmCause cause_of(const PlacedTrace& placed, TraceId kernel) const;

  /// By operator, known shape and kernel, of the point that has these axes.
  [[nodiscard]] std::vector<KernelSlowdown> slowdowns(const TraceAxes& axes) const;

 private:
  /// Calls by key, and the times of steady kernels.
  struct Point {
    std::map<std::size_t, std::vector<const KernelSample*>> calls;
    std::map<std::size_t, TracePs> steady;
  };

  /// A kernel within a sweep; of several sweeps compared (kRunAxis) each has its own.
  using SweepKey = std::pair<std::string, std::size_t>;

  [[nodiscard]] std::optional<Baseline> baseline(const Point& point, const SweepKey& key) const;
  [[nodiscard]] TracePs best_of_shape(const Point& point, const SweepKey& key, TracePs own) const;
  [[nodiscard]] static ContentionSlope contention_slope(const std::vector<const KernelSample*>& calls,
                                                        const KernelSample* but, TracePs base);
  static void add_clock(GemmCause& cause, const Point& point, const RankSamples& rank);

  KernelKeys keys_;
  std::vector<RankSamples> ranks_;
  std::map<TraceAxes, Point> points_;
  std::map<SweepKey, Baseline> sweep_;
};

}  // namespace kernbench::traces
