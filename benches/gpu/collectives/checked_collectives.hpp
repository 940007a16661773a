// Collectives over GPUs with buffers of their own: checked, then timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/gpu/collectives/nccl.hpp"
#include "benches/gpu/ranks/ranks.hpp"

namespace kernbench::gpu {

class CheckedCollectives {
 public:
  /// Over the first `gpus` devices, through so many channels (0: as many as NCCL takes), of at most `most_bytes`.
  /// Throws GpuError.
  CheckedCollectives(int gpus, int channels, std::int64_t most_bytes);

  /// Whether they are over so many GPUs and channels and of so many bytes.
  [[nodiscard]] bool serve(int gpus, int channels, std::int64_t bytes) const;

  struct Measured {
    RankSamples samples;
    double error = 0;  ///< the largest of a rank, which is 0
  };
  /// `bytes` are those of the whole buffer, in fp32. Throws NotSupported where they do not divide into a part for each
  /// rank; GpuError for a wrong result, and where one rank fails, after which every later call throws.
  [[nodiscard]] Measured measure(const std::string& collective, std::int64_t bytes, const SampleLimits& limits,
                                 RankLaunch launch);

 private:
  [[nodiscard]] double largest_error(const std::string& collective, std::int64_t count, const EnqueueRank& enqueue);

  int channels_;
  std::int64_t most_bytes_;
  Ranks ranks_;
  Communicators communicators_;
  std::vector<DeviceBuffer> in_;
  std::vector<DeviceBuffer> out_;
};

}  // namespace kernbench::gpu
