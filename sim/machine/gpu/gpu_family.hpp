// Families of kernels that a GPU's library launches (adr/0055): the newest ones, of 16-bit dtypes and fp8 whose rows
// are multiples of 16 bytes, and older ones for everything else.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/base/names.hpp"

namespace kernbench {

enum class GpuFamily { kNewest, kOdd, kEven, kTf32, kTf32Wide, kTf32Segment, kTf32Ragged, kFp32, kFp32Vector };
inline constexpr Names<GpuFamily> kGpuFamilies{"family of kernels",
                                               {{GpuFamily::kNewest, "newest"},
                                                {GpuFamily::kOdd, "odd"},
                                                {GpuFamily::kEven, "even"},
                                                {GpuFamily::kTf32, "tf32"},
                                                {GpuFamily::kTf32Wide, "tf32_wide"},
                                                {GpuFamily::kTf32Segment, "tf32_segment"},
                                                {GpuFamily::kTf32Ragged, "tf32_ragged"},
                                                {GpuFamily::kFp32, "fp32"},
                                                {GpuFamily::kFp32Vector, "fp32_vector"}}};

/// Whether its kernels multiply on CUDA cores, not on tensor cores.
[[nodiscard]] constexpr bool on_cuda_cores(GpuFamily family) {
  return family == GpuFamily::kFp32 || family == GpuFamily::kFp32Vector;
}

/// What kernels of an older family come to.
struct GpuOlderRate {
  bool given = false;
  double macs = 0;     ///< of an SM in a cycle, nominal
  double share = 0;    ///< of it that an SM full of CTAs reaches
  double latency = 0;  ///< cycles that a thread waits for each of its multiply-accumulates
  double floor = 0;    ///< cycles that a CTA waits for each element along K
  double line = 0;     ///< ns in which an SM gets a line of operands
  double cta = 0;      ///< ns to begin and end a CTA
  double store = 0;    ///< bytes of C a cycle
  double launch = 0;
  double from_hbm = 0;
  double split_launch = 0;     ///< of the kernel that adds up the parts
  double split_bandwidth = 0;  ///< at which it takes them in
  double part = 0;             ///< ns of each further part where they are added up in place
  double energy = 0;           ///< of a FLOP at the highest clock
};

inline constexpr std::size_t kGpuOlderFamilies = 8;

/// By family, from kOdd on.
class GpuOlder {
 public:
  [[nodiscard]] GpuOlderRate& of(GpuFamily family) { return rates_.at(static_cast<std::size_t>(family) - 1); }
  [[nodiscard]] const GpuOlderRate& of(GpuFamily family) const {
    return rates_.at(static_cast<std::size_t>(family) - 1);
  }

 private:
  std::array<GpuOlderRate, kGpuOlderFamilies> rates_;
};

}  // namespace kernbench
