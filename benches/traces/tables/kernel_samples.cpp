#include "benches/traces/tables/kernel_samples.hpp"

#include <algorithm>
#include <utility>

#include "benches/traces/events/trace_steps.hpp"

namespace kernbench::traces {
namespace {

constexpr TracePs kLeastSteady = 5'000'000;  // ps: shorter kernels are as long as their start takes

/// Makes samples of one trace's events.
class Sampler {
 public:
  Sampler(const RankTrace& trace, bool unlinked, KernelKeys& keys)
      : trace_(trace), keys_(keys), communication_(trace, unlinked) {}

  [[nodiscard]] KernelSample sample(TraceId id) {
    const GpuEvent& event = trace_.gpu_events[id];
    const TracePs overlap = communication_.during({event.start, event.end()}).time;
    return {id, key_of(event), event.duration, overlap, step_of(trace_, event)};
  }

 private:
  [[nodiscard]] std::size_t key_of(const GpuEvent& event) {
    const TraceId shape = event.gemm_op == kNoId ? kNoId : trace_.gemm_ops[event.gemm_op].shape;
    const auto [known, is_new] = known_.try_emplace({shape, event.name}, 0);
    if (is_new) {
      known->second = keys_.id_of({shape == kNoId ? GemmShape{} : trace_.gemm_shapes[shape], trace_.name(event.name)});
    }
    return known->second;
  }

  const RankTrace& trace_;
  KernelKeys& keys_;
  CommunicationTimes communication_;
  std::map<std::pair<TraceId, TraceId>, std::size_t> known_;  // by shape and name
};

RankSamples samples_of(const PlacedTrace& placed, const TraceSelection& selection, KernelKeys& keys) {
  const RankTrace& trace = placed.trace;
  Sampler sampler(trace, selection.unlinked, keys);
  RankSamples samples{&placed, {}, {}};
  for (const GemmGroup& group : gemm_groups(trace, selection)) {
    for (const GemmCall& call : group.calls) samples.calls.push_back(sampler.sample(call.kernel));
  }
  std::ranges::sort(samples.calls, {}, &KernelSample::event);
  for (const TraceId id : selected_events(trace, selection)) {
    const GpuEvent& event = trace.gpu_events[id];
    if (event.kind != GpuEventKind::kKernel || event.activity != GpuActivity::kComputation) continue;
    if (event.duration < kLeastSteady || trace.is_of_unknown_shape(event)) continue;
    const KernelSample sample = sampler.sample(id);
    if (sample.is_alone()) samples.steady.push_back(sample);
  }
  return samples;
}

}  // namespace

std::size_t KernelKeys::id_of(KernelKey key) {
  const auto [found, is_new] = ids_.try_emplace(std::move(key), keys_.size());
  if (is_new) keys_.push_back(&found->first);
  return found->second;
}

double KernelSample::share() const {
  return duration > 0 ? static_cast<double>(overlap) / static_cast<double>(duration) : 0;
}

std::vector<RankSamples> kernel_samples(const std::vector<PlacedTrace>& traces, const TraceSelection& selection,
                                        KernelKeys& keys) {
  std::vector<RankSamples> all;
  all.reserve(traces.size());
  for (const PlacedTrace& placed : traces) all.push_back(samples_of(placed, selection, keys));
  return all;
}

}  // namespace kernbench::traces
