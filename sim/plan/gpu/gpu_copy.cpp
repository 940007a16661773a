#include "sim/plan/gpu/gpu_copy.hpp"

#include "sim/base/errors.hpp"

namespace kernbench {

double gpu_copy_ns(GpuCopy copy, Bytes bytes, const GpuSpec& gpu) {
  const bool is_peer = copy == GpuCopy::kPeer || copy == GpuCopy::kPeerBidirectional;
  const auto need = [&gpu](const char* section, bool given) {
    if (!given)
      throw ConfigError(std::string(section) + ": missing in the file of " + gpu.name +
                        "; expected what copies cost there");
  };
  need(is_peer ? "peer_copy" : "copies", is_peer ? gpu.peer_copy.given : gpu.copies.given);
  if (copy == GpuCopy::kDeviceToDevice) need("operators", gpu.operators.given);
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
      return gpu.peer_copy.start + moved / gpu.peer_copy.bandwidth;
  }
}

}  // namespace kernbench
