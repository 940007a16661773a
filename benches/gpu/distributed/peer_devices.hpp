// The GPUs of a distributed GEMM: streams and cuBLASLt of each, all memories within reach of all, and a gate at which
// their streams wait until the host has enqueued everything.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/distributed/local_gemm.hpp"
#include "sim/plan/distributed_gemm/command_list.hpp"

namespace kernbench::gpu {

/// Streams go on together when the host says so, so that the time between their events has no gap in which the host was
/// still enqueueing.
class Gate {
 public:
  Gate();
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  Gate(Gate&&) = delete;
  Gate& operator=(Gate&&) = delete;

  /// A new gate, shut: what streams enqueued after it wait for.
  int shut() { return ++ticket_; }
  /// The stream goes on once the gate with this ticket is open.
  void wait(int ticket, cudaStream_t stream) const;
  void open(int ticket);
  /// Some stream waited 5 s and went on alone. Asking forgets it.
  bool was_late();

 private:
  volatile int* words_ = nullptr;  // [0]: newest ticket that is open; [1]: some stream was late
  int ticket_ = 0;
};

/// Devices 0 … count-1.
class PeerDevices {
 public:
  /// Enables peer access between all. Throws GpuError where one cannot reach the memory of another.
  explicit PeerDevices(int count);

  [[nodiscard]] int count() const { return static_cast<int>(devices_.size()); }
  [[nodiscard]] const Stream& stream(int device, QueueKind queue) const {
    return devices_[static_cast<std::size_t>(device)]->streams[static_cast<std::size_t>(queue)];
  }
  [[nodiscard]] LocalGemm& gemm(int device) { return devices_[static_cast<std::size_t>(device)]->gemm; }
  [[nodiscard]] Gate& gate() { return gate_; }
  /// Waits for all streams. Throws GpuError.
  void synchronize() const;

 private:
  struct Device {
    std::array<Stream, 4> streams;
    LocalGemm gemm;
  };
  std::vector<std::unique_ptr<Device>> devices_;
  Gate gate_;
};

}  // namespace kernbench::gpu
