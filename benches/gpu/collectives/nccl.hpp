// NCCL's five collectives over the GPUs of one process, fp32 and sum.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {

class Communicators {
 public:
  /// One a device, 0..gpus-1, of so many channels; 0: as many as NCCL takes. Throws GpuError; ConfigError where this
  /// program was built without NCCL.
  explicit Communicators(int gpus, int channels = 0);
  ~Communicators();
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  Communicators(Communicators&&) = delete;
  Communicators& operator=(Communicators&&) = delete;

  /// Puts rank's part of a collective on its stream; each rank calls it from a thread of its own. `count`: elements of
  /// the whole buffer, a multiple of the ranks where it is cut. Broadcast is from rank 0.
  void enqueue(const std::string& collective, const float* in, float* out, std::int64_t count, int rank,
               cudaStream_t stream) const;

  /// After a failure: ends kernels that wait for ranks that never come. Every later call throws.
  void abort();

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace kernbench::gpu
