#include "benches/gpu/distributed/peer_devices.hpp"

#include <atomic>
#include <string>

#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/run_cases.hpp"

namespace kernbench::gpu {

Gate::Gate() {
  void* words = nullptr;
  check(cudaHostAlloc(&words, 2 * sizeof(int), cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
  words_ = static_cast<volatile int*>(words);
  words_[0] = 0;
  words_[1] = 0;
}

Gate::~Gate() { static_cast<void>(cudaFreeHost(const_cast<int*>(words_))); }  // NOLINT(*-const-cast): volatile only

void Gate::wait(int ticket, cudaStream_t stream) const {
  int* words = const_cast<int*>(words_);  // NOLINT(*-const-cast): the kernel reads it as volatile again
  wait_for_gate(words, ticket, words + 1, stream);
}

void Gate::open(int ticket) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  words_[0] = ticket;
}

bool Gate::was_late() {
  const bool late = words_[1] != 0;
  words_[1] = 0;
  return late;
}

PeerDevices::PeerDevices(int count) {
  const int visible = visible_gpus();
  if (count > visible) {
    throw NotSupported("needs " + std::to_string(count) + " GPUs and there are " + std::to_string(visible));
  }
  for (int device = 0; device < count; ++device) {
    const UseDevice use(device);
    for (int peer = 0; peer < count; ++peer) {
      if (peer == device) continue;
      int reaches = 0;
      check(cudaDeviceCanAccessPeer(&reaches, device, peer), "cudaDeviceCanAccessPeer");
      if (reaches == 0) {
        throw NotSupported("GPU " + std::to_string(device) + " cannot reach the memory of GPU " + std::to_string(peer));
      }
      const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
      if (code == cudaErrorPeerAccessAlreadyEnabled) {
        static_cast<void>(cudaGetLastError());  // as wanted
      } else {
        check(code, "cudaDeviceEnablePeerAccess");
      }
    }
    devices_.push_back(std::make_unique<Device>());
  }
}

void PeerDevices::synchronize() const {
  for (const auto& device : devices_) {
    for (const Stream& stream : device->streams) stream.synchronize();
  }
}

}  // namespace kernbench::gpu
