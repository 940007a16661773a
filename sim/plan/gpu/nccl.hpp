// How long NCCL takes for a collective among GPUs that reach each other, in closed form (adr/0051): which protocol the
// library takes, over how many channels, what a channel and the links carry.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/names.hpp"
#include "sim/base/units.hpp"
#include "sim/machine/gpu/gpu_spec.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

enum class NcclProtocol : std::uint8_t { kLl, kLl128, kSimple };
inline constexpr Names<NcclProtocol> kNcclProtocols{
    "protocol", {{NcclProtocol::kLl, "LL"}, {NcclProtocol::kLl128, "LL128"}, {NcclProtocol::kSimple, "Simple"}}};

/// `bytes` as nccl-tests counts: of an all_gather the buffer that it fills, of a reduce_scatter the one it reads.
struct NcclCollective {
  Collective collective = Collective::kAllReduce;
  std::int64_t gpus = 0;
  Bytes bytes = 0;
  std::int64_t channels = 0;  ///< 0: nccl.channels
  std::int64_t threads = 0;   ///< of a channel; 0: nccl.threads
};

/// Under which it runs: alone 1 and 1.
struct NcclConditions {
  double channel = 1;  ///< share of its rate that a channel has
  double links = 1;    ///< share of the links
};

/// Times in nanoseconds, rates in bytes a nanosecond.
struct NcclTime {
  NcclProtocol protocol = NcclProtocol::kSimple;
  std::int64_t channels = 0;  ///< in use
  std::int64_t threads = 0;   ///< of a channel's CTA
  std::int64_t hops = 0;      ///< of the ring
  double sent = 0;            ///< bytes that a rank sends
  double start = 0;
  double hop = 0;           ///< all hops
  double channel_rate = 0;  ///< what a channel sends where links are no limit
  double rate = 0;          ///< what a rank sends
  double transfer = 0;      ///< all steps of the ring
  double total = 0;
  bool by_links = false;  ///< links are more of a limit than channels

  [[nodiscard]] Picoseconds time() const;
  /// What of it is the most: "start", "hops", "channels" or "links".
  [[nodiscard]] std::string limit() const;
};

/// Throws ConfigError where the machine says nothing of links or NCCL, has fewer GPUs, or the collective is none of
/// all_reduce, all_gather, reduce_scatter, broadcast and all_to_all.
void check_nccl(const NcclCollective& asked, const GpuSpec& gpu);

/// The protocol that the library takes: the least of its own estimates (nccl.ll, nccl.ll128, nccl.simple).
[[nodiscard]] NcclProtocol choose_nccl_protocol(const NcclCollective& asked, const GpuNccl& nccl);

[[nodiscard]] NcclTime nccl_time(const NcclCollective& asked, const GpuSpec& gpu,
                                 const NcclConditions& conditions = {});

/// CTAs of its kernel that an SM holds: by threads and by registers.
[[nodiscard]] std::int64_t nccl_ctas_of_sm(const NcclTime& time, const GpuSpec& gpu);
/// SMs that its kernel takes.
[[nodiscard]] std::int64_t nccl_sms(const NcclTime& time, const GpuSpec& gpu);
/// Bytes that go to and from a GPU's HBM.
[[nodiscard]] double nccl_hbm_bytes(const NcclCollective& asked);

}  // namespace kernbench
