#include "benches/gpu/timing/timing.hpp"

#include <algorithm>
#include <cmath>

#include "benches/gpu/timing/spin.hpp"

namespace kernbench::gpu {
namespace {

// The host enqueues an event, a graph and an event behind this: 60 us at 2 GHz.
constexpr long long kSpinCycles = 120'000;
constexpr double kSample_ns = 200e3;
constexpr int kMostOperations = 64;

}  // namespace

int SampleLimits::samples(double sample_ns) const {
  if (sample_ns * from > 10 * aim_ms * 1e6) return least;
  return std::clamp(static_cast<int>(std::ceil(aim_ms * 1e6 / std::max(sample_ns, 1.0))), from, most);
}

SampleLimits sample_limits(const Options& options) {
  SampleLimits limits;
  if (options.quick) limits = {.aim_ms = 3, .least = 3, .from = 5, .most = 10};
  if (options.samples > 0) limits.least = limits.from = limits.most = options.samples;
  limits.warm_ups = options.warm_ups;
  return limits;
}

L2Flush::L2Flush(std::size_t l2_bytes) : buffer_(std::max<std::size_t>(2 * l2_bytes, std::size_t{64} << 20U)) {}

void L2Flush::enqueue(const Stream& stream) const {
  check(cudaMemsetAsync(buffer_.data(), 0x5a, buffer_.bytes(), stream.get()), "flushing the L2");
}

double estimate_ns(const Stream& stream, const Enqueue& enqueue) {
  const Event begin;
  const Event end;
  // The first call loads kernels; the second is a measure of whether more are worth it.
  double once_ns = 0;
  for (int i = 0; i < 2; ++i) {
    begin.record(stream);
    enqueue(stream.get(), 0);
    end.record(stream);
    end.synchronize();
    once_ns = begin.nanoseconds_to(end);
  }
  if (once_ns > 20e6) return once_ns;
  constexpr int kCalls = 5;
  enqueue_spin(kSpinCycles, stream.get());
  begin.record(stream);
  for (int i = 0; i < kCalls; ++i) enqueue(stream.get(), 0);
  end.record(stream);
  end.synchronize();
  return begin.nanoseconds_to(end) / kCalls;
}

int operations_per_sample(double operation_ns) {
  return std::clamp(static_cast<int>(std::ceil(kSample_ns / std::max(operation_ns, 1.0))), 1, kMostOperations);
}

std::function<void(cudaStream_t)> sample_work(const Enqueue& enqueue, int operations, bool flushed) {
  return [&enqueue, operations, flushed](cudaStream_t stream) {
    for (int i = 0; i < operations; ++i) enqueue(stream, flushed ? i : 0);
  };
}

std::vector<double> time_samples(const Stream& stream, const Graph& graph, int operations, const L2Flush* flush,
                                 const SampleLimits& limits, double operation_ns) {
  for (int i = 0; i < limits.warm_ups; ++i) graph.launch(stream);
  stream.synchronize();

  const Event begin;
  const Event end;
  std::vector<double> samples;
  const int count = limits.samples(operation_ns * operations);
  for (int i = 0; i < count; ++i) {
    if (flush != nullptr) flush->enqueue(stream);
    enqueue_spin(kSpinCycles, stream.get());
    begin.record(stream);
    graph.launch(stream);
    end.record(stream);
    end.synchronize();
    samples.push_back(begin.nanoseconds_to(end) / operations);
  }
  return samples;
}

std::vector<double> latency_samples(const Stream& stream, const Enqueue& enqueue, const L2Flush* flush,
                                    const SampleLimits& limits, double operation_ns) {
  const Event begin;
  const Event end;
  std::vector<double> samples;
  const int count = limits.samples(operation_ns);
  for (int i = 0; i < count; ++i) {
    if (flush != nullptr) flush->enqueue(stream);
    stream.synchronize();
    begin.record(stream);
    enqueue(stream.get(), 0);
    end.record(stream);
    end.synchronize();
    samples.push_back(begin.nanoseconds_to(end));
  }
  return samples;
}

}  // namespace kernbench::gpu
