#include "sim/plan/gpu/gpu_copy.hpp"

#include "sim/base/errors.hpp"

namespace kernbench {

double gpu_copy_ns(GpuCopy copy, Bytes bytes, const GpuSpec& gpu) {
  if (!gpu.copies.given || (copy == GpuCopy::kDeviceToDevice && !gpu.operators.given)) {
    throw ConfigError("copies, operators: missing in the file of " + gpu.name + "; expected what copies cost there");
  }
  constexpr double kSampleNs = 200e3;  // from which on a copy is a sample by itself (24.1)
  const auto moved = static_cast<double>(bytes);
  switch (copy) {
    case GpuCopy::kDeviceToDevice: {
      const double burst = gpu.copies.device_launch + 2 * moved / gpu.operators.bandwidth;
      return burst < kSampleNs ? burst : gpu.copies.device_launch + 2 * moved / gpu.operators.sustained;
    }
    case GpuCopy::kDeviceToHost:
    case GpuCopy::kHostToDevice:
      return gpu.copies.host_launch + moved / gpu.copies.host_bandwidth;
    default:
      return gpu.copies.peer_launch + moved / gpu.copies.peer_bandwidth;
  }
}

}  // namespace kernbench
