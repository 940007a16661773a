// How long copies take within a GPU, from and to its host, and to another GPU (adr/0053).
#pragma once

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"
#include "sim/machine/gpu/gpu_spec.hpp"

namespace kernbench {

enum class GpuCopy { kDeviceToDevice, kDeviceToHost, kHostToDevice, kPeer, kPeerBidirectional };
inline constexpr Names<GpuCopy> kGpuCopies{"copy",
                                           {{GpuCopy::kDeviceToDevice, "device_to_device"},
                                            {GpuCopy::kDeviceToHost, "device_to_host"},
                                            {GpuCopy::kHostToDevice, "host_to_device"},
                                            {GpuCopy::kPeer, "peer"},
                                            {GpuCopy::kPeerBidirectional, "peer_bidirectional"}}};

/// In ns; a peer's copies each way carry `bytes`. Throws ConfigError where the GPU's file has no `copies`.
[[nodiscard]] double gpu_copy_ns(GpuCopy copy, Bytes bytes, const GpuSpec& gpu);

}  // namespace kernbench
