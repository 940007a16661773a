// What operations and bytes of a machine take, and what its parts cost, as far as its file says (adr/0036).
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/dtype.hpp"

namespace kernbench {

/// Of a value that nobody gave: unknown, and not zero.
inline constexpr std::int64_t kNotGiven = -1;

/// A value for each dtype of operands.
struct PerDtype {
  std::int64_t bf16 = kNotGiven;
  std::int64_t fp16 = kNotGiven;
  std::int64_t fp8_e4m3 = kNotGiven;
  std::int64_t fp8_e5m2 = kNotGiven;
  std::int64_t int8 = kNotGiven;
  std::int64_t tf32 = kNotGiven;
  std::int64_t fp32 = kNotGiven;
  std::int64_t bfp8 = kNotGiven;
  std::int64_t bfp4 = kNotGiven;
  std::int64_t mxfp8 = kNotGiven;
  std::int64_t mxfp4 = kNotGiven;

  [[nodiscard]] constexpr std::int64_t of(Dtype dtype) const {
    switch (dtype) {
      case Dtype::kBf16:
        return bf16;
      case Dtype::kFp16:
        return fp16;
      case Dtype::kFp8E4m3:
        return fp8_e4m3;
      case Dtype::kFp8E5m2:
        return fp8_e5m2;
      case Dtype::kInt8:
        return int8;
      case Dtype::kTf32:
        return tf32;
      case Dtype::kFp32:
        return fp32;
      case Dtype::kBfp8:
        return bfp8;
      case Dtype::kBfp4:
        return bfp4;
      case Dtype::kMxfp8:
        return mxfp8;
      case Dtype::kMxfp4:
        return mxfp4;
      case Dtype::kInt32:
        break;
    }
    return kNotGiven;
  }
};

/// In femtojoules: of an operation, or of a byte.
struct EnergySpec {
  PerDtype mac;                        ///< a multiply-accumulate
  std::int64_t vector = kNotGiven;     ///< an operation of the vector unit on one element
  std::int64_t registers = kNotGiven;  ///< a byte between TCM and the array's registers
  std::int64_t tcm = kNotGiven;
  std::int64_t sram = kNotGiven;
  std::int64_t hbm = kNotGiven;
  std::int64_t router = kNotGiven;  ///< a byte through a router and the wire behind it
  std::int64_t die_to_die = kNotGiven;
  std::int64_t package_link = kNotGiven;
  std::int64_t static_power = kNotGiven;  ///< of a PE, in milliwatts
};

/// In millionths of the file's unit; a size is a MiB's (TCM, SRAM), GiB's (HBM) or KiB's (buffers), a bandwidth a
/// GB/s's.
struct CostSpec {
  std::string unit = "unit";
  std::int64_t pe = kNotGiven;
  PerDtype mac;  ///< a MAC a cycle
  std::int64_t lane = kNotGiven;
  std::int64_t buffer = kNotGiven;
  std::int64_t tcm = kNotGiven;
  std::int64_t tcm_bandwidth = kNotGiven;
  std::int64_t sram = kNotGiven;
  std::int64_t sram_bandwidth = kNotGiven;
  std::int64_t hbm = kNotGiven;
  std::int64_t hbm_bandwidth = kNotGiven;
  std::int64_t router_bandwidth = kNotGiven;
  std::int64_t die_to_die_bandwidth = kNotGiven;
  std::int64_t package_link_bandwidth = kNotGiven;
  std::int64_t host_link_bandwidth = kNotGiven;
};

}  // namespace kernbench
