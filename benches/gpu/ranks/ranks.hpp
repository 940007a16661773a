// Several GPUs of one process, a host thread each, and how work on all of them at once is timed.
#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/timing/timing.hpp"

namespace kernbench::gpu {

/// Throws ConfigError where CUDA shows fewer GPUs than `gpus`.
void require_gpus(int gpus);

/// Lets each of the first `gpus` devices copy to and from each other's memory. Throws GpuError where two cannot.
void enable_peer_access(int gpus);

/// A stream on each of the first `gpus` devices.
class Ranks {
 public:
  explicit Ranks(int gpus);

  [[nodiscard]] int size() const { return static_cast<int>(streams_.size()); }
  [[nodiscard]] const Stream& stream(int rank) const { return streams_.at(static_cast<std::size_t>(rank)); }

  /// Runs `work(rank)` in a thread for each rank, its device current; afterwards throws what the first failed one
  /// threw.
  void run(const std::function<void(int rank)>& work) const;

 private:
  std::vector<Stream> streams_;
};

/// Waits, but not for ever: a collective that one rank never started does not end. Throws GpuError after 30 s.
void wait_for(const Event& end, int rank);

/// Puts one operation of a rank on its stream.
using EnqueueRank = std::function<void(int rank, cudaStream_t stream)>;

struct RankSamples {
  std::vector<double> time_ns;     ///< back to back on the streams, per operation
  std::vector<double> latency_ns;  ///< one call from all-idle
};

/// How operations come to a stream: one after the other, or captured into a CUDA graph for each rank.
enum class RankLaunch : std::uint8_t { kStream, kGraph };

/// Times `enqueue` on all ranks at once. All threads meet before each sample; a sample is the largest of the ranks'
/// times between the events on their own streams. The latency is of one call on the stream, however `launch` is. Throws
/// GpuError where a stream has not ended after 30 s.
[[nodiscard]] RankSamples time_ranks(const Ranks& ranks, const EnqueueRank& enqueue, const SampleLimits& limits,
                                     RankLaunch launch = RankLaunch::kStream);

}  // namespace kernbench::gpu
