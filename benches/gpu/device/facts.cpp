// cudaDeviceProp lost its clocks in CUDA 13; attributes have them in every version.
#include "benches/gpu/device/facts.hpp"

#include <cublasLt.h>
#ifdef KERNBENCH_HAVE_NCCL
#include <nccl.h>
#endif
#include <unistd.h>

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/device/nvml.hpp"

namespace kernbench::gpu {
namespace {

std::int64_t attribute(cudaDeviceAttr which, int device, const char* name) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), std::string("cudaDeviceGetAttribute ") + name);
  return value;
}

/// "13.0" for 13000
std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

int visible_gpus() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "counting GPUs");
  return count;
}

GpuFacts read_facts(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  GpuFacts facts;
  facts.name = properties.name;
  facts.major = properties.major;
  facts.minor = properties.minor;
  facts.sms = properties.multiProcessorCount;
  facts.max_sm_clock_mhz = static_cast<double>(attribute(cudaDevAttrClockRate, device, "ClockRate")) * 1e-3;
  facts.max_memory_clock_mhz =
      static_cast<double>(attribute(cudaDevAttrMemoryClockRate, device, "MemoryClockRate")) * 1e-3;
  facts.memory_bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, device, "GlobalMemoryBusWidth");
  facts.l2_bytes = properties.l2CacheSize;
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.power_limit_w = Sensors(device).power_limit_w().value_or(0);
  return facts;
}

Json software_versions() {
  Json versions = Json::object();
  if (const auto driver = Sensors(0).driver_version()) versions["driver"] = *driver;
  int version = 0;
  check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  versions["cuda_driver"] = cuda_version(version);
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  versions["cuda_runtime"] = cuda_version(version);
  const std::size_t cublaslt = cublasLtGetVersion();
  versions["cublaslt"] = std::to_string(cublaslt / 10000) + "." + std::to_string(cublaslt % 10000 / 100) + "." +
                         std::to_string(cublaslt % 100);
#ifdef KERNBENCH_HAVE_NCCL
  if (ncclGetVersion(&version) == ncclSuccess) {
    versions["nccl"] = std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
                       std::to_string(version % 100);
  }
#endif
  return versions;
}

Json library_settings() {
  constexpr std::array<std::string_view, 6> kRecorded{
      "NCCL_", "CUBLAS", "NVIDIA_TF32_OVERRIDE", "NVSHMEM_DISABLE_NVLS", "TORCH_SYMM_MEM_", "CUDA_DEVICE_MAX_"};
  std::map<std::string, std::string> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    if (variable.starts_with("NCCL_VERSION=")) continue;  // of an image, not of the library that runs
    for (const std::string_view prefix : kRecorded) {
      if (variable.starts_with(prefix)) found[std::string(variable.substr(0, equals))] = variable.substr(equals + 1);
    }
  }
  Json settings = Json::object();
  for (const auto& [name, value] : found) settings[name] = value;
  return settings;
}

}  // namespace kernbench::gpu
