#include "sim/plan/gpu/nccl.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_counts.hpp"
#include "sim/plan/gpu/gpu_gemm_time.hpp"

namespace kernbench {
namespace {

constexpr Bytes kSmallPart = 16384;          // of an all_to_all: up to it a part goes by LL
constexpr double kLargestLl128Share = 1.25;  // threads of a CTA by LL128, of those by LL
// Bytes a thread for which the library opens another channel.
constexpr double kBytesOfThread = 8;
constexpr double kBytesOfThreadSimple = 64;

std::int64_t hops_of(const NcclCollective& asked) {
  return asked.collective == Collective::kAllReduce ? 2 * (asked.gpus - 1) : asked.gpus - 1;
}

double sent_of(const NcclCollective& asked) {
  if (asked.collective == Collective::kBroadcast) return real(asked.bytes);
  return real(asked.bytes) * real(hops_of(asked)) / real(asked.gpus);
}

/// Buffers that a channel reads and writes for each byte that it sends on.
struct Accesses {
  double reads = 1;
  double writes = 1;
};

Accesses accesses_of(const NcclCollective& asked) {
  const double n = real(asked.gpus);
  switch (asked.collective) {
    case Collective::kAllReduce:  // send; n - 2 reduce and send; reduce, keep and send; n - 2 keep and send; receive
      return {(1 + 2 * (n - 2) + 2 + (n - 2)) / (2 * (n - 1)), (1 + (n - 2) + 2 + 2 * (n - 2)) / (2 * (n - 1))};
    case Collective::kReduceScatter:  // send; n - 2 reduce and send; reduce and keep
      return {(1 + 2 * (n - 2) + 2) / (n - 1), (1 + (n - 2) + 1) / (n - 1)};
    case Collective::kBroadcast:  // a rank in the middle keeps and sends
      return {1, n > 2 ? 2.0 : 1.0};
    default:  // keep and send
      return {1, 2};
  }
}

/// What a channel sends by Simple.
double simple_rate(const NcclCollective& asked, const GpuNccl& nccl) {
  const Accesses each = accesses_of(asked);
  return 1 / (each.reads / nccl.read + each.writes / nccl.write);
}

double threads_of(const NcclCollective& asked, NcclProtocol protocol, const GpuNccl& nccl) {
  const double threads = asked.threads > 0 ? real(asked.threads) : nccl.threads;
  if (protocol == NcclProtocol::kSimple) return threads + kWarp;
  return protocol == NcclProtocol::kLl128 ? threads * kLargestLl128Share : threads;
}

std::int64_t channels_of(const NcclCollective& asked, NcclProtocol protocol, const GpuNccl& nccl) {
  const std::int64_t most = asked.channels > 0 ? asked.channels : static_cast<std::int64_t>(nccl.channels);
  if (asked.collective == Collective::kAllToAll) return most;
  double threads = threads_of(asked, protocol, nccl);
  double bytes = kBytesOfThread;
  if (protocol == NcclProtocol::kLl) bytes *= real(asked.gpus);
  if (protocol == NcclProtocol::kSimple) {
    threads -= kWarp;
    bytes = kBytesOfThreadSimple;
  }
  const auto worth = static_cast<std::int64_t>(real(asked.bytes) / (threads * bytes));
  return std::clamp<std::int64_t>(worth, 1, most);
}

double estimate(const NcclEstimate& of, double hops, double sent) {
  return of.base + hops * of.hop + sent / of.bandwidth;
}

/// (a^-p + b^-p)^(-1/p): less than either.
double softly_least(double a, double b, double p) { return 1 / joined_limits({1 / a, 1 / b}, p); }

/// What a GPU's links carry by LL128.
double ll128_links(const GpuSpec& gpu) { return std::min(gpu.nccl.ll128_bandwidth, gpu.nvlink.bandwidth); }

}  // namespace

Picoseconds NcclTime::time() const { return {std::llround(total * 1000)}; }

std::string NcclTime::limit(const GpuSpec& gpu) const {
  const double most = std::max({start, hop, transfer});
  if (most == start) return "start";
  if (most == hop) return "hops";
  const double links = protocol == NcclProtocol::kLl128 ? ll128_links(gpu) : gpu.nvlink.bandwidth;
  return real(channels) * channel_rate < links ? "channels" : "links";
}

void check_nccl(const NcclCollective& asked, const GpuSpec& gpu) {
  if (!gpu.nvlink.given) throw ConfigError("nvlink: " + gpu.name + " has none; a collective needs it");
  if (!gpu.nccl.given) throw ConfigError("nccl: " + gpu.name + " says nothing of it; a collective needs it");
  if (asked.gpus < 2 || real(asked.gpus) > gpu.nvlink.gpus) {
    throw ConfigError("a collective over " + std::to_string(asked.gpus) + (asked.gpus == 1 ? " GPU" : " GPUs") +
                      ": expected 2 to nvlink.gpus, " + std::to_string(static_cast<std::int64_t>(gpu.nvlink.gpus)) +
                      " on " + gpu.name);
  }
  if (asked.collective == Collective::kReduce) {
    throw ConfigError("expected all_reduce, all_gather, reduce_scatter, broadcast or all_to_all, got reduce");
  }
  if (asked.bytes < 1) throw ConfigError("a collective of no byte");
  if (real(asked.bytes) > gpu.hbm.capacity) {
    throw ConfigError("a collective of " + std::to_string(asked.bytes) + " B: expected at most hbm.capacity, " +
                      std::to_string(static_cast<std::int64_t>(gpu.hbm.capacity)) + " B");
  }
  if (real(asked.channels) > gpu.sm.count || asked.channels < 0) {
    throw ConfigError("expected 1 to sm.count channels, " + std::to_string(static_cast<std::int64_t>(gpu.sm.count)) +
                      ", got " + std::to_string(asked.channels));
  }
  if (asked.threads != 0 && (asked.threads < 64 || asked.threads > 512 || asked.threads % 32 != 0)) {
    throw ConfigError("expected a multiple of 32 threads from 64 to 512, got " + std::to_string(asked.threads));
  }
}

NcclProtocol choose_nccl_protocol(const NcclCollective& asked, const GpuNccl& nccl) {
  if (asked.collective == Collective::kAllToAll) {
    return asked.bytes / asked.gpus <= kSmallPart ? NcclProtocol::kLl : NcclProtocol::kSimple;
  }
  const double hops = asked.collective == Collective::kBroadcast ? 1 : real(hops_of(asked));
  const double sent = sent_of(asked);
  const std::array<double, 3> times{estimate(nccl.ll, hops, sent), estimate(nccl.ll128, hops, sent),
                                    estimate(nccl.simple, hops, sent)};
  return static_cast<NcclProtocol>(std::ranges::min_element(times) - times.begin());
}

NcclTime nccl_time(const NcclCollective& asked, const GpuSpec& gpu, const NcclConditions& conditions) {
  const GpuNccl& nccl = gpu.nccl;
  NcclTime time;
  time.protocol = choose_nccl_protocol(asked, nccl);
  time.channels = channels_of(asked, time.protocol, nccl);
  time.threads = static_cast<std::int64_t>(threads_of(asked, time.protocol, nccl));
  time.hops = hops_of(asked);
  time.sent = sent_of(asked);
  const double channels = real(time.channels);
  if (time.protocol == NcclProtocol::kSimple) {
    time.start = asked.collective == Collective::kBroadcast  ? nccl.broadcast_start
                 : asked.collective == Collective::kAllToAll ? nccl.all_to_all_start
                                                             : nccl.start;
    time.hop = nccl.hop * real(time.hops);
    time.channel_rate = simple_rate(asked, nccl) * conditions.channel;
    time.rate = softly_least(channels * time.channel_rate, gpu.nvlink.bandwidth * conditions.links, nccl.softmin);
    time.transfer = time.sent / time.rate + time.sent / real(time.hops) / nccl.turn;
  } else {
    time.start = nccl.small_start;
    time.hop = nccl.small_hop * real(time.hops);
    if (time.protocol == NcclProtocol::kLl) {
      if (asked.launch == NcclLaunch::kStream) time.start -= nccl.stream_gain;
      time.channel_rate = nccl.ll_write / accesses_of(asked).writes * conditions.channel;
      time.rate = std::min(channels * time.channel_rate, gpu.nvlink.bandwidth * conditions.links);
    } else {
      time.channel_rate = simple_rate(asked, nccl) * nccl.ll128_share * conditions.channel;
      time.rate = softly_least(channels * time.channel_rate, ll128_links(gpu) * conditions.links, nccl.softmin);
    }
    time.transfer = time.sent / time.rate;
  }
  time.total = time.start + time.hop + time.transfer;
  return time;
}

std::int64_t nccl_ctas_of_sm(const NcclTime& time, const GpuSpec& gpu) {
  const double threads = real(time.threads);
  const double fit =
      std::min({gpu.sm.threads / threads, gpu.sm.registers / (threads * gpu.nccl.registers), gpu.sm.cta_slots});
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(fit));
}

std::int64_t nccl_sms(const NcclTime& time, const GpuSpec& gpu) {
  return ceil_div(time.channels, nccl_ctas_of_sm(time, gpu));
}

double nccl_hbm_bytes(const NcclCollective& asked, const NcclTime& time) {
  const Accesses each = accesses_of(asked);
  return time.sent * (each.reads + each.writes);
}

}  // namespace kernbench
