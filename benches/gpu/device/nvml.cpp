// The few declarations of NVML's stable interface that we need: a toolkit without nvml.h builds this too.
#include "benches/gpu/device/nvml.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>

#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {
namespace {

using NvmlDevice = void*;
constexpr int kNvmlSuccess = 0;
constexpr unsigned kPowerInstantField = 186;  // NVML_FI_DEV_POWER_INSTANT, milliwatts
constexpr unsigned kSmClock = 1;              // NVML_CLOCK_SM
constexpr unsigned kGpuTemperature = 0;       // NVML_TEMPERATURE_GPU

/// nvmlFieldValue_t
struct NvmlFieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency_us;
  unsigned value_type;
  int status;
  std::uint64_t value;  // a union; an unsigned value is its low half
};

struct Library {
  int (*init)() = nullptr;
  int (*handle)(const char*, NvmlDevice*) = nullptr;
  int (*handle_by_uuid)(const char*, NvmlDevice*) = nullptr;
  int (*energy)(NvmlDevice, unsigned long long*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;
  int (*power_limit)(NvmlDevice, unsigned*) = nullptr;
  int (*clock)(NvmlDevice, unsigned, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, unsigned, unsigned*) = nullptr;
  int (*fields)(NvmlDevice, int, NvmlFieldValue*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
  int (*memory)(NvmlDevice, unsigned long long*) = nullptr;  // nvmlMemory_t: total, free, used
  std::string missing;
};

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

Library open_library() {
  Library nvml;
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) {
    nvml.missing = "libnvidia-ml.so.1 cannot be opened";
    return nvml;
  }
  find(library, "nvmlInit_v2", nvml.init);
  find(library, "nvmlDeviceGetHandleByPciBusId_v2", nvml.handle);
  find(library, "nvmlDeviceGetHandleByUUID", nvml.handle_by_uuid);
  find(library, "nvmlDeviceGetTotalEnergyConsumption", nvml.energy);
  find(library, "nvmlDeviceGetPowerUsage", nvml.power);
  find(library, "nvmlDeviceGetEnforcedPowerLimit", nvml.power_limit);
  find(library, "nvmlDeviceGetClockInfo", nvml.clock);
  find(library, "nvmlDeviceGetTemperature", nvml.temperature);
  find(library, "nvmlDeviceGetFieldValues", nvml.fields);
  find(library, "nvmlSystemGetDriverVersion", nvml.driver);
  find(library, "nvmlDeviceGetMemoryInfo", nvml.memory);
  if (nvml.init == nullptr || nvml.handle == nullptr || nvml.init() != kNvmlSuccess) {
    nvml.missing = "NVML does not start";
  }
  return nvml;
}

/// "GPU-01234567-89ab-cdef-0123-456789abcdef"
std::string uuid_of(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i) {
    std::array<char, 3> byte{};
    std::snprintf(byte.data(), byte.size(), "%02x", static_cast<unsigned char>(properties.uuid.bytes[i]));
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += byte.data();
  }
  return text;
}

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

}  // namespace

Sensors::Sensors(int device) : missing_(library().missing) {
  if (!missing_.empty()) return;
  std::array<char, 32> address{};
  check(cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device), "cudaDeviceGetPCIBusId");
  if (library().handle(address.data(), &device_) == kNvmlSuccess) return;
  // Some virtual machines have other addresses in the driver than in CUDA.
  const std::string uuid = uuid_of(device);
  if (library().handle_by_uuid != nullptr && library().handle_by_uuid(uuid.c_str(), &device_) == kNvmlSuccess) return;
  device_ = nullptr;
  missing_ = std::string("NVML knows neither ") + address.data() + " nor " + uuid;
}

std::optional<double> Sensors::energy_mj() const {
  unsigned long long millijoules = 0;
  if (device_ == nullptr || library().energy == nullptr) return std::nullopt;
  if (library().energy(device_, &millijoules) != kNvmlSuccess) return std::nullopt;
  return static_cast<double>(millijoules);
}

std::optional<double> Sensors::power_w() const {
  if (device_ == nullptr) return std::nullopt;
  if (library().fields != nullptr) {
    NvmlFieldValue field{};
    field.field = kPowerInstantField;
    const bool read = library().fields(device_, 1, &field) == kNvmlSuccess && field.status == kNvmlSuccess;
    const auto milliwatts = static_cast<std::uint32_t>(field.value);
    if (read && milliwatts > 0) return milliwatts * 1e-3;
  }
  unsigned milliwatts = 0;
  if (library().power == nullptr || library().power(device_, &milliwatts) != kNvmlSuccess) return std::nullopt;
  return static_cast<double>(milliwatts) * 1e-3;
}

std::optional<double> Sensors::power_limit_w() const {
  unsigned milliwatts = 0;
  if (device_ == nullptr || library().power_limit == nullptr) return std::nullopt;
  if (library().power_limit(device_, &milliwatts) != kNvmlSuccess) return std::nullopt;
  return static_cast<double>(milliwatts) * 1e-3;
}

std::optional<double> Sensors::sm_clock_mhz() const {
  unsigned megahertz = 0;
  if (device_ == nullptr || library().clock == nullptr) return std::nullopt;
  if (library().clock(device_, kSmClock, &megahertz) != kNvmlSuccess) return std::nullopt;
  return megahertz;
}

std::optional<double> Sensors::temperature_c() const {
  unsigned celsius = 0;
  if (device_ == nullptr || library().temperature == nullptr) return std::nullopt;
  if (library().temperature(device_, kGpuTemperature, &celsius) != kNvmlSuccess) return std::nullopt;
  return celsius;
}

std::optional<double> Sensors::memory_bytes() const {
  std::array<unsigned long long, 3> bytes{};
  if (device_ == nullptr || library().memory == nullptr) return std::nullopt;
  if (library().memory(device_, bytes.data()) != kNvmlSuccess) return std::nullopt;
  return static_cast<double>(bytes[0]);
}

std::optional<std::string> Sensors::driver_version() const {
  std::array<char, 96> version{};
  if (!missing_.empty() || library().driver == nullptr) return std::nullopt;
  if (library().driver(version.data(), static_cast<unsigned>(version.size())) != kNvmlSuccess) return std::nullopt;
  return std::string(version.data());
}

}  // namespace kernbench::gpu
