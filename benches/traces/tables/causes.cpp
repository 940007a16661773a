#include "benches/traces/tables/causes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "benches/measured/cases/statistics.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {
namespace {

constexpr std::size_t kLeastBaseline = 3;  // calls
constexpr double kLeastShare = 0.1;        // of a call, for the slope of contention

std::vector<TracePs> durations_alone(const std::vector<const KernelSample*>& calls) {
  std::vector<TracePs> alone;
  for (const KernelSample* call : calls) {
    if (call->is_alone()) alone.push_back(call->duration);
  }
  return alone;
}

TracePs rounded(double ps) { return static_cast<TracePs>(std::llround(ps)); }

double ratio(TracePs time, TracePs base) { return static_cast<double>(time) / static_cast<double>(base); }

/// Whose sweep the point is of; "" where nothing is compared.
std::string run_of(const TraceAxes& axes) {
  const auto run = std::ranges::find(axes, kRunAxis, &TraceAxes::value_type::first);
  return run == axes.end() ? "" : run->second;
}

}  // namespace

double weighted_median(std::vector<std::pair<double, double>> values_and_weights) {
  std::ranges::sort(values_and_weights);
  double all = 0;
  for (const auto& [value, weight] : values_and_weights) all += weight;
  double reached = 0;
  for (const auto& [value, weight] : values_and_weights) {
    reached += weight;
    if (weight > 0 && reached >= all / 2) return value;
  }
  return 0;
}

TracePs median_time(std::vector<TracePs> times) {
  if (times.empty()) throw std::invalid_argument("a median of no times");
  std::ranges::sort(times);
  return std::midpoint(times[(times.size() - 1) / 2], times[times.size() / 2]);
}

GemmCauses::GemmCauses(const std::vector<PlacedTrace>& traces, const TraceSelection& selection)
    : ranks_(kernel_samples(traces, selection, keys_)) {
  std::map<TraceAxes, std::map<std::size_t, std::vector<TracePs>>> steady;
  std::map<SweepKey, std::vector<TracePs>> alone;
  for (const RankSamples& rank : ranks_) {
    Point& point = points_[rank.placed->axes];
    const std::string run = run_of(rank.placed->axes);
    for (const KernelSample& call : rank.calls) {
      point.calls[call.key].push_back(&call);
      if (call.is_alone()) alone[{run, call.key}].push_back(call.duration);
    }
    for (const KernelSample& sample : rank.steady) steady[rank.placed->axes][sample.key].push_back(sample.duration);
  }
  for (const auto& [axes, by_key] : steady) {
    for (const auto& [key, times] : by_key) {
      if (times.size() >= kLeastBaseline) points_[axes].steady[key] = median_time(times);
    }
  }
  for (const auto& [key, times] : alone) {
    if (times.size() >= kLeastBaseline) sweep_[key] = {median_time(times), times.size(), true};
  }
}

std::optional<Baseline> GemmCauses::baseline(const Point& point, const SweepKey& key) const {
  if (!keys_.key(key.second).shape.is_known()) return std::nullopt;
  if (const auto calls = point.calls.find(key.second); calls != point.calls.end()) {
    const std::vector<TracePs> alone = durations_alone(calls->second);
    if (alone.size() >= kLeastBaseline) return Baseline{median_time(alone), alone.size(), false};
  }
  const auto of_sweep = sweep_.find(key);
  return of_sweep == sweep_.end() ? std::nullopt : std::optional(of_sweep->second);
}

TracePs GemmCauses::best_of_shape(const Point& point, const SweepKey& key, TracePs own) const {
  const GemmShape& shape = keys_.key(key.second).shape;
  TracePs best = own;
  for (const auto& [other, of_sweep] : sweep_) {  // whatever has a baseline at a point has one of the sweep
    if (other.first == key.first && keys_.key(other.second).shape == shape)
      best = std::min(best, baseline(point, other)->time);
  }
  return best;
}

/// Of the calls but one, which may be none of them.
ContentionSlope GemmCauses::contention_slope(const std::vector<const KernelSample*>& calls, const KernelSample* but,
                                             TracePs base) {
  std::vector<std::pair<double, double>> slopes;
  for (const KernelSample* call : calls) {
    const double share = call->share();
    if (call == but || share <= kLeastShare) continue;
    slopes.emplace_back((ratio(call->duration, base) - 1) / share, share * share);
  }
  const std::size_t samples = slopes.size();
  return {weighted_median(std::move(slopes)), samples};
}

void GemmCauses::add_clock(GemmCause& cause, const Point& point, const RankSamples& rank) {
  std::vector<double> ratios;
  for (const KernelSample& sample : rank.steady) {
    if (sample.key == cause.call.key || sample.step != cause.call.step) continue;
    const auto base = point.steady.find(sample.key);
    if (base != point.steady.end()) ratios.push_back(ratio(sample.duration, base->second));
  }
  cause.clock_samples = ratios.size();
  if (!cause.clock_known()) return;
  cause.clock = rounded(static_cast<double>(cause.base->time) * (median(std::move(ratios)) - 1));
}

GemmCause GemmCauses::cause_of(const PlacedTrace& placed, TraceId kernel) const {
  const auto rank = std::ranges::find(ranks_, &placed, &RankSamples::placed);
  if (rank == ranks_.end()) throw std::invalid_argument("a trace that is none of those given");
  const auto call = std::ranges::lower_bound(rank->calls, kernel, {}, &KernelSample::event);
  if (call == rank->calls.end() || call->event != kernel)
    throw std::invalid_argument("an event that is no call's kernel");
  const Point& point = points_.at(placed.axes);
  GemmCause cause;
  cause.call = *call;
  const SweepKey key(run_of(placed.axes), call->key);
  cause.base = baseline(point, key);
  if (!cause.base) return cause;
  cause.best = best_of_shape(point, key, cause.base->time);
  cause.kernel = cause.base->time - cause.best;
  const ContentionSlope slope = contention_slope(point.calls.at(call->key), &*call, cause.base->time);
  cause.contention_samples = slope.samples;
  cause.contention = rounded(static_cast<double>(cause.base->time) * slope.slope * call->share());
  add_clock(cause, point, *rank);
  cause.unexplained = cause.excess() - cause.kernel - cause.contention - cause.clock;
  return cause;
}

std::vector<KernelSlowdown> GemmCauses::slowdowns(const TraceAxes& axes) const {
  std::vector<KernelSlowdown> all;
  const auto point = points_.find(axes);
  if (point == points_.end()) return all;
  for (const auto& [key, calls] : point->second.calls) {
    if (!keys_.key(key).shape.is_known()) continue;
    KernelSlowdown slowdown{
        keys_.key(key), calls.size(), durations_alone(calls), {}, baseline(point->second, {run_of(axes), key}), {}};
    for (const KernelSample* call : calls) {
      if (call->overlap * 100 > call->duration * 99) slowdown.overlapped.push_back(call->duration);
    }
    if (slowdown.base) slowdown.slope = contention_slope(calls, nullptr, slowdown.base->time);
    all.push_back(std::move(slowdown));
  }
  std::ranges::sort(all, {}, &KernelSlowdown::key);
  return all;
}

}  // namespace kernbench::traces
