// What every CUDA call here goes through, and owners of the things CUDA hands out: a failed call is an exception that
// says what was tried and what CUDA answered.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace kernbench::gpu {

/// A call into CUDA or one of its libraries failed. The case it belongs to becomes a failed row.
class GpuError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws GpuError "WHAT: cudaErrorName: description" unless `code` is success.
void check(cudaError_t code, const std::string& what);

/// After an error: clears it, and says why no device of this process can be used any more (an illegal address, say);
/// empty where all still answer.
[[nodiscard]] std::string lost_device(int gpus);

/// Memory of the current device (cudaMalloc).
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  template <typename T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  int device_ = 0;
};

/// A stream of the current device that does not wait for the default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream& operator=(Stream&&) = delete;

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronize() const;

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  /// Without timing it is cheaper and only orders streams.
  explicit Event(bool timing = true);
  ~Event();
  Event(Event&& other) noexcept;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event& operator=(Event&&) = delete;

  [[nodiscard]] cudaEvent_t get() const { return event_; }
  void record(const Stream& stream) const;
  void synchronize() const;
  /// From this event to a later one; both must have happened.
  [[nodiscard]] double nanoseconds_to(const Event& later) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// Work captured once and launched again and again.
class Graph {
 public:
  /// `enqueue` puts work on the stream it is given, and allocates nothing.
  Graph(const Stream& stream, const std::function<void(cudaStream_t)>& enqueue);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Graph(Graph&&) = delete;
  Graph& operator=(Graph&&) = delete;

  void launch(const Stream& stream) const;

 private:
  cudaGraphExec_t executable_ = nullptr;
};

/// Makes a device current for its lifetime.
class UseDevice {
 public:
  explicit UseDevice(int device);
  ~UseDevice();
  UseDevice(const UseDevice&) = delete;
  UseDevice& operator=(const UseDevice&) = delete;
  UseDevice(UseDevice&&) = delete;
  UseDevice& operator=(UseDevice&&) = delete;

 private:
  int before_ = 0;
};

}  // namespace kernbench::gpu
