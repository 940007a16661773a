// Counter-based random numbers: element i is a function of the seed and i alone.
#include "benches/gpu/data/element.cuh"
#include "benches/gpu/data/fill.hpp"
#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {
namespace {

/// The output function of SplitMix64 (Steele, Lea, Flood 2014).
__device__ std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Box and Muller's transform of the two halves of a 64-bit number; the first is in (0, 1].
__device__ float normal(std::uint64_t bits) {
  const float u = (static_cast<float>(static_cast<unsigned>(bits >> 40U)) + 1.0f) * 0x1p-24f;
  const float v = static_cast<float>(static_cast<unsigned>(bits & 0xffffffU)) * 0x1p-24f;
  return sqrtf(-2.0f * logf(u)) * cospif(2.0f * v);
}

template <typename T>
__global__ void fill(T* data, std::size_t count, std::uint64_t seed) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    data[i] = from_float<T>(normal(mixed(mixed(seed) + (i + 1) * 0x9e3779b97f4a7c15U)));
  }
}

template <typename T>
__global__ void scan(const T* data, std::size_t count, unsigned long long* bad) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    if (!isfinite(to_float(data[i]))) ++mine;
  }
  if (mine > 0) atomicAdd(bad, mine);
}

__global__ void compare(const unsigned char* a, const unsigned char* b, std::size_t bytes,
                        unsigned long long* different) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < bytes; i += step) {
    if (a[i] != b[i]) ++mine;
  }
  if (mine > 0) atomicAdd(different, mine);
}

/// What `launch` adds up in a counter on the device.
template <typename Launch>
std::size_t counted(const Launch& launch, cudaStream_t stream) {
  const DeviceBuffer counter(sizeof(unsigned long long));
  check(cudaMemsetAsync(counter.data(), 0, counter.bytes(), stream), "clearing a counter");
  launch(counter.as<unsigned long long>());
  check(cudaGetLastError(), "counting elements");
  unsigned long long found = 0;
  check(cudaMemcpyAsync(&found, counter.data(), sizeof found, cudaMemcpyDeviceToHost, stream), "reading a counter");
  check(cudaStreamSynchronize(stream), "counting elements");
  return found;
}

}  // namespace

Element element_of(const std::string& dtype) {
  if (dtype == "fp32" || dtype == "tf32") return Element::kFp32;
  if (dtype == "fp16") return Element::kFp16;
  if (dtype == "bf16") return Element::kBf16;
  if (dtype == "fp8_e4m3") return Element::kFp8E4m3;
  throw std::invalid_argument("there is no dtype \"" + dtype + "\"");
}

std::size_t bytes_of(Element element) { return element == Element::kFp32 ? 4 : element == Element::kFp8E4m3 ? 1 : 2; }

void fill_normal(void* data, std::size_t count, Element element, std::uint64_t seed, cudaStream_t stream) {
  with_type(element, [&]<typename T>(Type<T>) {
    fill<<<blocks_for(count), 256, 0, stream>>>(static_cast<T*>(data), count, seed);
  });
  check(cudaGetLastError(), "filling with random numbers");
}

void poison(void* data, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemsetAsync(data, 0xff, bytes, stream), "poisoning an output");
}

std::size_t count_not_finite(const void* data, std::size_t count, Element element, cudaStream_t stream) {
  return counted(
      [&](unsigned long long* bad) {
        with_type(element, [&]<typename T>(Type<T>) {
          scan<<<blocks_for(count), 256, 0, stream>>>(static_cast<const T*>(data), count, bad);
        });
      },
      stream);
}

std::size_t count_different(const void* a, const void* b, std::size_t bytes, cudaStream_t stream) {
  return counted(
      [&](unsigned long long* different) {
        compare<<<blocks_for(bytes), 256, 0, stream>>>(static_cast<const unsigned char*>(a),
                                                       static_cast<const unsigned char*>(b), bytes, different);
      },
      stream);
}

}  // namespace kernbench::gpu
