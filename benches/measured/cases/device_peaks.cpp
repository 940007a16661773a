// Data sheets quote matrix rates with sparsity; the table has the dense ones (half of those).
#include "benches/measured/cases/device_peaks.hpp"

#include <array>
#include <string_view>

namespace kernbench {
namespace {

struct DataSheet {
  std::string_view name;         ///< as the driver gives it
  double fp32, tf32, fp16, fp8;  ///< 10^12 FLOP/s, dense; bf16 is as fast as fp16; 0: the GPU has no such type
  double memory_gbs;
  double link_gbs;  ///< one direction; 0: no NVLink
  double power_w;
  std::string_view source;
};

constexpr std::array<DataSheet, 9> kDataSheets{{
    {"NVIDIA H200", 66.9, 494.7, 989.4, 1978.9, 4800, 450, 700, "NVIDIA H200 data sheet, H200 SXM, dense rates"},
    {"NVIDIA H100 80GB HBM3", 66.9, 494.7, 989.4, 1978.9, 3350, 450, 700,
     "NVIDIA H100 data sheet, H100 SXM, dense rates"},
    {"NVIDIA H100 PCIe", 51.2, 378, 756.5, 1513, 2000, 300, 350, "NVIDIA H100 data sheet, H100 PCIe, dense rates"},
    {"NVIDIA A100-SXM4-80GB", 19.5, 156, 312, 0, 2039, 300, 400, "NVIDIA A100 data sheet, A100 80GB SXM, dense rates"},
    {"NVIDIA A100-SXM4-40GB", 19.5, 156, 312, 0, 1555, 300, 400, "NVIDIA A100 data sheet, A100 40GB SXM, dense rates"},
    {"NVIDIA A100 80GB PCIe", 19.5, 156, 312, 0, 1935, 300, 300, "NVIDIA A100 data sheet, A100 80GB PCIe, dense rates"},
    {"NVIDIA A100-PCIE-40GB", 19.5, 156, 312, 0, 1555, 300, 250, "NVIDIA A100 data sheet, A100 40GB PCIe, dense rates"},
    {"NVIDIA L40S", 91.6, 183, 362, 733, 864, 0, 350, "NVIDIA L40S data sheet, dense rates"},
    {"NVIDIA L4", 30.3, 60, 121, 242.5, 300, 0, 72, "NVIDIA L4 data sheet, dense rates"},
}};

/// Floating-point operations a clock and SM (a multiply-add counts two), dense, fp32 accumulation.
struct SmRates {
  int major, minor;
  double fp32, tf32, fp16, fp8;
};

constexpr std::array<SmRates, 5> kSmRates{{
    {8, 0, 128, 1024, 2048, 0},
    {8, 6, 256, 512, 1024, 0},
    {8, 9, 256, 512, 1024, 2048},
    {9, 0, 256, 2048, 4096, 8192},
    {10, 0, 256, 4096, 8192, 16384},
}};

void set_rates(Device& device, double fp32, double tf32, double fp16, double fp8) {
  device.peak_tflops["fp32"] = fp32;
  if (tf32 > 0) device.peak_tflops["tf32"] = tf32;
  if (fp16 > 0) device.peak_tflops["fp16"] = device.peak_tflops["bf16"] = fp16;
  if (fp8 > 0) device.peak_tflops["fp8_e4m3"] = fp8;
}

void compute_peaks(Device& device, const GpuFacts& facts) {
  const double terahertz_of_sms = static_cast<double>(facts.sms) * facts.max_sm_clock_mhz * 1e-6;
  SmRates rates{0, 0, 256, 0, 0, 0};
  for (const SmRates& known : kSmRates) {
    if (known.major == facts.major && known.minor == facts.minor) rates = known;
  }
  set_rates(device, rates.fp32 * terahertz_of_sms, rates.tf32 * terahertz_of_sms, rates.fp16 * terahertz_of_sms,
            rates.fp8 * terahertz_of_sms);
  device.memory_gbs = 2 * facts.max_memory_clock_mhz * 1e6 * static_cast<double>(facts.memory_bus_bits) / 8 * 1e-9;
  if (facts.power_limit_w > 0) device.power_w = facts.power_limit_w;
  device.basis = "computed";
  device.source = "SMs x highest SM clock x operations a clock and SM of compute capability " +
                  std::to_string(facts.major) + "." + std::to_string(facts.minor) +
                  "; 2 x highest memory clock x bus width; the driver's power limit";
}

}  // namespace

Device describe_gpu(const GpuFacts& facts) {
  Device device;
  device.name = facts.name;
  device.slug = device_slug(facts.name);
  device.facts = {{"sms", facts.sms},
                  {"max_sm_clock_mhz", facts.max_sm_clock_mhz},
                  {"l2_bytes", facts.l2_bytes},
                  {"memory_bytes", facts.memory_bytes},
                  {"compute_capability", std::to_string(facts.major) + "." + std::to_string(facts.minor)}};
  for (const DataSheet& sheet : kDataSheets) {
    if (sheet.name != facts.name) continue;
    set_rates(device, sheet.fp32, sheet.tf32, sheet.fp16, sheet.fp8);
    device.memory_gbs = sheet.memory_gbs;
    if (sheet.link_gbs > 0) device.link_gbs = sheet.link_gbs;
    device.power_w = sheet.power_w;
    device.basis = "datasheet";
    device.source = sheet.source;
    return device;
  }
  compute_peaks(device, facts);
  return device;
}

double peak_tflops(const Device& device, const std::string& dtype) {
  const auto found = device.peak_tflops.find(dtype);
  return found == device.peak_tflops.end() ? 0 : found->second;
}

}  // namespace kernbench
