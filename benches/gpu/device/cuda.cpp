// Destructors cannot throw: what they free after a lost device is lost with it, and the next call reports the loss.
#include "benches/gpu/device/cuda.hpp"

#include <utility>

namespace kernbench::gpu {

void check(cudaError_t code, const std::string& what) {
  if (code == cudaSuccess) return;
  throw GpuError(what + ": " + cudaGetErrorName(code) + ": " + cudaGetErrorString(code));
}

std::string lost_device(int gpus) {
  for (int device = 0; device < gpus; ++device) {
    static_cast<void>(cudaSetDevice(device));
    static_cast<void>(cudaGetLastError());
    cudaError_t code = cudaDeviceSynchronize();
    // The first answer may still be the error of a launch that has been reported; a lost device gives it again.
    if (code != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      code = cudaDeviceSynchronize();
    }
    if (code != cudaSuccess) {
      return "device " + std::to_string(device) + " is lost: " + cudaGetErrorName(code) + ": " +
             cudaGetErrorString(code);
    }
  }
  static_cast<void>(cudaSetDevice(0));
  return "";
}

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  check(cudaGetDevice(&device_), "cudaGetDevice");
  if (bytes > 0) check(cudaMalloc(&data_, bytes), "cudaMalloc of " + std::to_string(bytes) + " bytes");
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ == nullptr) return;
  int before = 0;
  static_cast<void>(cudaGetDevice(&before));
  static_cast<void>(cudaSetDevice(device_));
  static_cast<void>(cudaFree(data_));
  static_cast<void>(cudaSetDevice(before));
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)), device_(other.device_) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(device_, other.device_);
  return *this;
}

Stream::Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }

Stream::~Stream() {
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

Stream::Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}

void Stream::synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

Event::Event(bool timing) {
  check(cudaEventCreateWithFlags(&event_, timing ? cudaEventDefault : cudaEventDisableTiming), "cudaEventCreate");
}

Event::~Event() {
  if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
}

Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}

void Event::record(const Stream& stream) const { check(cudaEventRecord(event_, stream.get()), "cudaEventRecord"); }

void Event::synchronize() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }

double Event::nanoseconds_to(const Event& later) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, event_, later.event_), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e6;
}

Graph::Graph(const Stream& stream, const std::function<void(cudaStream_t)>& enqueue) {
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    enqueue(stream.get());
  } catch (...) {
    // The stream must leave capture mode, whatever became of the graph.
    static_cast<void>(cudaStreamEndCapture(stream.get(), &graph));
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    static_cast<void>(cudaGetLastError());
    throw;
  }
  check(cudaStreamEndCapture(stream.get(), &graph), "cudaStreamEndCapture");
  const cudaError_t code = cudaGraphInstantiate(&executable_, graph, 0);
  static_cast<void>(cudaGraphDestroy(graph));
  check(code, "cudaGraphInstantiate");
}

Graph::~Graph() {
  if (executable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(executable_));
}

void Graph::launch(const Stream& stream) const { check(cudaGraphLaunch(executable_, stream.get()), "cudaGraphLaunch"); }

UseDevice::UseDevice(int device) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  check(cudaSetDevice(device), "cudaSetDevice " + std::to_string(device));
}

UseDevice::~UseDevice() { static_cast<void>(cudaSetDevice(before_)); }

}  // namespace kernbench::gpu
