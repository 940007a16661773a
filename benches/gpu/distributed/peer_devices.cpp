#include "benches/gpu/distributed/peer_devices.hpp"

#include <atomic>

#include "benches/gpu/ranks/ranks.hpp"

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
  enable_peer_access(count);
  for (int device = 0; device < count; ++device) {
    const UseDevice use(device);
    devices_.push_back(std::make_unique<Device>());
  }
}

void PeerDevices::synchronize() const {
  for (const auto& device : devices_) {
    for (const Stream& stream : device->streams) stream.synchronize();
  }
}

}  // namespace kernbench::gpu
