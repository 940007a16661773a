#include "benches/traces/tables/step_times.hpp"

#include <map>

#include "benches/traces/tables/causes.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "benches/traces/tables/timeline.hpp"

namespace kernbench::traces {
namespace {

/// Sums of whole picoseconds, of all ranks.
struct StepSums {
  TracePs total = 0, computation = 0, exposed = 0, idle = 0, communication = 0, overlapped = 0;
  TracePs durations = 0, latencies = 0, gemms = 0, alone = 0;
};

void add_timeline(StepSums& sums, const RankTrace& trace) {
  const Timeline timeline = timeline_of(trace, {});
  sums.total += timeline.total;
  sums.computation += timeline.computation;
  sums.exposed += timeline.exposed_communication;
  sums.idle += timeline.idle;
  sums.communication += timeline.communication;
  sums.overlapped += timeline.overlapped_communication;
  for (const GpuEvent& event : trace.gpu_events) {
    if (event.activity == GpuActivity::kCommunication && trace.counts(event)) sums.durations += event.duration;
  }
}

/// Whether every GEMM's kernel has a time alone.
bool add_gemms(StepSums& sums, const std::vector<PlacedTrace>& ranks) {
  const GemmCauses causes(ranks, {});
  std::map<KernelKey, TracePs> alone;
  for (const KernelSlowdown& kernel : causes.slowdowns(ranks.front().axes)) {
    if (kernel.base) alone[kernel.key] = kernel.base->time;
  }
  bool known = true;
  KernelKeys keys;
  for (const RankSamples& rank : kernel_samples(ranks, {}, keys)) {
    for (const KernelSample& call : rank.calls) {
      sums.gemms += call.duration;
      const auto base = alone.find(keys.key(call.key));
      known = known && base != alone.end();
      if (known) sums.alone += base->second;
    }
  }
  return known && sums.alone > 0;
}

}  // namespace

StepTimes step_times(const std::vector<PlacedTrace>& ranks, std::int64_t steps) {
  StepSums sums;
  for (const PlacedTrace& rank : ranks) add_timeline(sums, rank.trace);
  for (const TimedGroup& group : timed_groups(ranks, {})) {
    for (const CollectiveTimes& times : group.times) sums.latencies += times.latency;
  }
  const bool known = add_gemms(sums, ranks);
  const auto a_step = [steps](TracePs sum) { return static_cast<double>(sum) / 1000 / static_cast<double>(steps); };
  const auto mean = [&](TracePs sum) { return a_step(sum) / static_cast<double>(ranks.size()); };
  StepTimes times;
  times.total = mean(sums.total);
  times.computation = mean(sums.computation);
  times.exposed_comm = mean(sums.exposed);
  times.idle = mean(sums.idle);
  times.comm = mean(sums.durations);
  times.comm_latency = a_step(sums.latencies);
  if (sums.communication > 0) {
    times.comm_overlapped = static_cast<double>(sums.overlapped) / static_cast<double>(sums.communication);
  }
  times.gemm = mean(sums.gemms);
  if (known) times.gemm_slowdown = static_cast<double>(sums.gemms) / static_cast<double>(sums.alone);
  return times;
}

std::int64_t gemm_calls(const PlacedTrace& rank) {
  std::int64_t calls = 0;
  for (const GemmGroup& group : gemm_groups(rank.trace, {})) calls += static_cast<std::int64_t>(group.calls.size());
  return calls;
}

}  // namespace kernbench::traces
