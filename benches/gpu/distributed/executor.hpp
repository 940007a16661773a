// Carries out the command list of a distributed GEMM on GPUs: each queue is a stream, each wait an event.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "benches/gpu/distributed/peer_devices.hpp"
#include "sim/plan/distributed_gemm/distributed_gemm.hpp"

namespace kernbench::gpu {

/// A and B hold what fill_normal makes of these seeds.
struct OperandSeeds {
  std::uint64_t a = 1;
  std::uint64_t b = 2;
};

/// Bytes of GPU memory that each device needs for its tiles, and for its buffers.
std::vector<std::size_t> device_bytes(const DistributedGemmPlan& plan, const CommandList& list);

/// bf16 operands, fp32 result and partial products.
class Executor {
 public:
  /// Allocates tiles and buffers, fills A and B, and forgets the rest. Plan, list and devices must outlive it. Throws
  /// GpuError.
  Executor(PeerDevices& devices, const DistributedGemmPlan& plan, const CommandList& list, OperandSeeds seeds);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  Executor(Executor&&) = delete;
  Executor& operator=(Executor&&) = delete;

  /// Everything but A and B holds NaN until it is written again.
  void forget();

  /// One distributed GEMM; returns how long the slowest device took, in ns: from the common start to the end of the
  /// last of its commands. `gated`: devices start when all is enqueued; else they start at once and may wait for the
  /// host. Throws GpuError; GateWasLate where the gate did not open in time, which leaves the time without meaning.
  double run(bool gated);

  /// The device's tile of C; 0 x 0 where it has none.
  [[nodiscard]] MatrixView<const float> result(int device) const;

 private:
  struct Buffer {
    DeviceBuffer memory;
    std::int64_t pitch = 0;  ///< elements; 0: each use has rows as wide as it needs
  };
  void allocate(const BufferId& id, std::int64_t rows, std::int64_t columns, bool tile);
  void fill(int device, OperandSeeds seeds);
  void start(int ticket);
  void carry_out(std::size_t index);
  void copy(const Command& command, cudaStream_t stream) const;
  void finish();
  template <typename T>
  [[nodiscard]] MatrixView<T> view(const BufferPart& place) const;

  PeerDevices& devices_;
  const DistributedGemmPlan& plan_;
  const std::vector<Command>& commands_;
  std::map<BufferId, Buffer> buffers_;
  std::vector<std::optional<Event>> done_;  ///< of the commands that others wait for
  std::vector<Event> begin_;                ///< of each device
  std::vector<Event> end_;
  std::vector<Event> queue_end_;  ///< of each device and queue
};

/// Some device started before the host had enqueued all.
class GateWasLate : public GpuError {
 public:
  GateWasLate() : GpuError("the devices waited 5 s for the host and started alone") {}
};

}  // namespace kernbench::gpu
