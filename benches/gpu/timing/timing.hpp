// How one operation on one GPU is timed: the two families of every measured row.
//   time     back to back inside a CUDA graph, launch gaps excluded, per operation
//   latency  one call on an idle stream, from event to event, launch gap included
// Before a sample of a flushed row the L2 is written over, outside the timed part.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/options.hpp"

namespace kernbench::gpu {

/// How many samples a family has: as many as fill `aim_ms` of GPU time, but `from`..`most`; where `from` of them would
/// last ten times `aim_ms`, `least`.
struct SampleLimits {
  double aim_ms = 15;
  int least = 5;
  int from = 10;
  int most = 50;
  int warm_ups = 2;  ///< repetitions before the first sample

  [[nodiscard]] int samples(double sample_ns) const;
};

/// What --quick, --samples and --warm-ups ask for.
[[nodiscard]] SampleLimits sample_limits(const Options& options);

/// Writes over more than the L2 holds.
class L2Flush {
 public:
  /// Of the current device; 2 x `l2_bytes`.
  explicit L2Flush(std::size_t l2_bytes);
  void enqueue(const Stream& stream) const;

 private:
  DeviceBuffer buffer_;
};

/// Puts operation `set` on the stream; each set has buffers of its own. Warm rows use set 0 alone.
using Enqueue = std::function<void(cudaStream_t stream, int set)>;

/// Time of one operation in ns, roughly: warms up, then times a few calls back to back.
[[nodiscard]] double estimate_ns(const Stream& stream, const Enqueue& enqueue);

/// Operations of a sample: enough for about 200 us, at most 64.
[[nodiscard]] int operations_per_sample(double operation_ns);

/// What a sample's graph holds: `operations` calls, each on its own set where the row is flushed, else all on set 0.
[[nodiscard]] std::function<void(cudaStream_t)> sample_work(const Enqueue& enqueue, int operations, bool flushed);

/// The family `time`, in ns an operation; `graph` holds sample_work.
[[nodiscard]] std::vector<double> time_samples(const Stream& stream, const Graph& graph, int operations,
                                               const L2Flush* flush, const SampleLimits& limits, double operation_ns);

/// The family `latency`, in ns.
[[nodiscard]] std::vector<double> latency_samples(const Stream& stream, const Enqueue& enqueue, const L2Flush* flush,
                                                  const SampleLimits& limits, double operation_ns);

}  // namespace kernbench::gpu
