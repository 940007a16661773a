// What a GPU can do at best: from its data sheet where we have it, else from its clock and the rates of its SMs.
#pragma once

#include <cstdint>
#include <string>

#include "benches/measured/reference/device.hpp"

namespace kernbench {

/// What a driver says about a GPU.
struct GpuFacts {
  std::string name;  ///< "NVIDIA H200"
  int major = 0;     ///< compute capability
  int minor = 0;
  std::int64_t sms = 0;
  double max_sm_clock_mhz = 0;
  double max_memory_clock_mhz = 0;  ///< two transfers a clock
  std::int64_t memory_bus_bits = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  double power_limit_w = 0;  ///< 0: unknown
};

/// The card of a GPU: facts, and peaks without sparsity. Known names have the peaks of their data sheet; others those
/// that SMs x clock x operations a clock give (basis "computed"), for the dtypes whose rate we know.
[[nodiscard]] Device describe_gpu(const GpuFacts& facts);

/// The peak of a dtype in 10^12 FLOP/s; 0 where the card has none.
[[nodiscard]] double peak_tflops(const Device& device, const std::string& dtype);

}  // namespace kernbench
