// The driver's management library (NVML): power, energy, clock, temperature. Opened where it is; read, never set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kernbench::gpu {

/// One GPU's sensors. Each reading is empty where the library, or the GPU, does not have it.
class Sensors {
 public:
  /// Of the CUDA device `device` of this process, found by its PCI address.
  explicit Sensors(int device);

  /// The energy used since the driver was loaded.
  [[nodiscard]] std::optional<double> energy_mj() const;
  /// The power of now where the GPU tells it, else its average over about a second.
  [[nodiscard]] std::optional<double> power_w() const;
  [[nodiscard]] std::optional<double> power_limit_w() const;
  [[nodiscard]] std::optional<double> sm_clock_mhz() const;
  [[nodiscard]] std::optional<double> temperature_c() const;
  /// All of the memory, what the driver keeps for itself included.
  [[nodiscard]] std::optional<double> memory_bytes() const;
  /// "580.159.04"
  [[nodiscard]] std::optional<std::string> driver_version() const;
  /// Why there are no readings; empty where there are.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* device_ = nullptr;  ///< nvmlDevice_t
  std::string missing_;
};

}  // namespace kernbench::gpu
