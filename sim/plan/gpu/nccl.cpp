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
constexpr double kMostThreads = 512;        // of a channel
constexpr double kPartOfPipeline = 524288;  // an eighth of a channel's buffer of 4 MiB

std::int64_t hops_of(const NcclCollective& asked) {
  return asked.collective == Collective::kAllReduce ? 2 * (asked.gpus - 1) : asked.gpus - 1;
}

double sent_of(const NcclCollective& asked) {
  if (asked.collective == Collective::kBroadcast) return real(asked.bytes);
  return real(asked.bytes) * real(hops_of(asked)) / real(asked.gpus);
}

/// Steps of a channel, all of as many bytes, as which a rank works its way around the ring.
struct RingSteps {
  double count = 0;
  double reads = 0;
  double writes = 0;  ///< its own memory, and the next rank's where it sends
  bool sends = true;
};

/// Unused ones count 0.
std::array<RingSteps, 5> steps_of(const NcclCollective& asked) {
  const double others = real(asked.gpus) - 2;
  switch (asked.collective) {
    case Collective::kAllReduce:  // send; reduce and send; reduce, keep and send; keep and send; receive
      return {{{1, 1, 1}, {others, 2, 1}, {1, 2, 2}, {others, 1, 2}, {1, 1, 1, false}}};
    case Collective::kReduceScatter:  // send; reduce and send; reduce and keep
      return {{{1, 1, 1}, {others, 2, 1}, {1, 2, 1, false}}};
    case Collective::kBroadcast:  // keep and send
      return {{{1, 1, 2}}};
    default:  // keep and send; receive
      return {{{others + 1, 1, 2}, {1, 1, 1, false}}};
  }
}

double bytes_of_step(const NcclCollective& asked) {
  return asked.collective == Collective::kBroadcast ? real(asked.bytes) : real(asked.bytes) / real(asked.gpus);
}

double threads_asked(const NcclCollective& asked, const GpuNccl& nccl) {
  return asked.threads > 0 ? real(asked.threads) : nccl.threads;
}

/// ns that threads take a byte of a step longer than the most of them: what one reads is on its way for a while.
double cost_of_threads(const RingSteps& step, double threads, double rate) {
  return step.reads / rate * std::max(0.0, 1 / threads - 1 / kMostThreads);
}

/// ns that a channel takes a byte of a step by Simple.
double cost_by_simple(const RingSteps& step, double threads, const GpuNccl& nccl) {
  return joined_limits(
      {step.reads / nccl.read + step.writes / nccl.write, cost_of_threads(step, threads, nccl.thread_read)},
      nccl.softmin);
}

double cost_by_ll(const RingSteps& step, double threads, const GpuNccl& nccl) {
  return joined_limits({step.writes / nccl.ll_write, cost_of_threads(step, threads, nccl.ll_thread_read)},
                       nccl.softmin);
}

double simple_start(Collective collective, const GpuNccl& nccl) {
  if (collective == Collective::kBroadcast) return 0;
  return collective == Collective::kAllToAll ? nccl.all_to_all_start : nccl.start;
}

double threads_of(const NcclCollective& asked, NcclProtocol protocol, const GpuNccl& nccl) {
  const double threads = threads_asked(asked, nccl);
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

/// What a GPU's links carry by a protocol.
double links_of(NcclProtocol protocol, const GpuSpec& gpu) {
  return protocol == NcclProtocol::kLl128 ? std::min(gpu.nccl.ll128_bandwidth, gpu.nvlink.bandwidth)
                                          : gpu.nvlink.bandwidth;
}

/// All channels together, and what each of them has of its rate.
struct ChannelsAtWork {
  double count = 1;
  double share = 1;
  double threads = 0;

  [[nodiscard]] double of(double cost) const { return cost / (share * count); }
};

/// A byte of each step, in ns: each channel at its rate, and the links while they are sent over.
struct StepTimes {
  double channels = 0;  ///< were there no limit of the links
  double links = 0;     ///< were there no limit of the channels
  double joined = 0;
};

StepTimes by_simple(const NcclCollective& asked, const ChannelsAtWork& channels, double links, const GpuNccl& nccl) {
  StepTimes times;
  for (const RingSteps& step : steps_of(asked)) {
    const double alone = channels.of(cost_by_simple(step, channels.threads, nccl));
    times.channels += step.count * alone;
    times.links += step.sends ? step.count / links : 0;
    times.joined += step.count * (step.sends ? joined_limits({alone, 1 / links}, nccl.softmin) : alone);
  }
  return times;
}

StepTimes by_ll(const NcclCollective& asked, const ChannelsAtWork& channels, double links, const GpuNccl& nccl) {
  StepTimes times;
  for (const RingSteps& step : steps_of(asked)) {
    times.channels += step.count * channels.of(cost_by_ll(step, channels.threads, nccl));
    times.links += step.sends ? step.count / links : 0;
  }
  times.joined = std::max(times.channels, times.links);
  return times;
}

/// Until the first part of a broadcast has come to the last rank, from when the second one has it.
double pipeline_fill(const NcclCollective& asked, const ChannelsAtWork& channels, const GpuNccl& nccl) {
  if (asked.collective != Collective::kBroadcast) return 0;
  const double part = std::min(real(asked.bytes) / channels.count, kPartOfPipeline);
  const auto cost = [&](const RingSteps& step) {
    return cost_by_simple(step, channels.threads, nccl) / channels.share;
  };
  return part * (real(asked.gpus - 2) * cost({1, 1, 2}) + cost({1, 1, 1}));
}

}  // namespace

Picoseconds NcclTime::time() const { return {std::max(1LL, std::llround(total * 1000))}; }

std::string NcclTime::limit() const {
  const double most = std::max({start, hop, transfer});
  if (most == start) return "start";
  if (most == hop) return "hops";
  return by_links ? "links" : "channels";
}

void check_nccl(const NcclCollective& asked, const GpuSpec& gpu) {
  const auto whole = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
  if (!gpu.nvlink.given) throw ConfigError("nvlink: " + gpu.name + " has none; a collective needs it");
  if (!gpu.nccl.given) {
    throw ConfigError("nccl: " + gpu.name +
                      " has no such section, which a collective needs: expected its keys, or base: h200.yaml");
  }
  if (asked.gpus < 2 || real(asked.gpus) > gpu.nvlink.gpus) {
    const std::string expected = gpu.nvlink.gpus < 2
                                     ? "expected a machine of several; " + gpu.name + " is one (nvlink.gpus)"
                                     : "expected 2 to nvlink.gpus, " + whole(gpu.nvlink.gpus) + " on " + gpu.name;
    throw ConfigError("a collective over " + std::to_string(asked.gpus) + (asked.gpus == 1 ? " GPU: " : " GPUs: ") +
                      expected);
  }
  if (asked.collective == Collective::kReduce) {
    throw ConfigError("a reduce on GPUs: expected all_reduce, all_gather, reduce_scatter, broadcast or all_to_all");
  }
  if (asked.bytes < 1) throw ConfigError("a collective of 0 B: expected 1 B or more");
  if (real(asked.bytes) > gpu.hbm.capacity) {
    throw ConfigError("a collective of " + std::to_string(asked.bytes) + " B: expected at most hbm.capacity, " +
                      whole(gpu.hbm.capacity) + " B on " + gpu.name);
  }
  if (real(asked.channels) > gpu.sm.count || asked.channels < 0) {
    throw ConfigError("a collective in " + std::to_string(asked.channels) + " channels: expected 1 to sm.count, " +
                      whole(gpu.sm.count) + " on " + gpu.name);
  }
  if (asked.threads != 0 && (asked.threads < 64 || asked.threads > 512 || asked.threads % 32 != 0)) {
    throw ConfigError("channels of " + std::to_string(asked.threads) +
                      " threads: expected a multiple of 32 from 64 to 512");
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
  const double bytes = bytes_of_step(asked);
  const bool ll = time.protocol == NcclProtocol::kLl;
  const bool simple = time.protocol == NcclProtocol::kSimple;
  const ChannelsAtWork channels{real(time.channels),
                                conditions.channel * (time.protocol == NcclProtocol::kLl128 ? nccl.ll128_share : 1),
                                threads_asked(asked, nccl)};
  const double links = links_of(time.protocol, gpu) * conditions.links;
  const StepTimes steps = (ll ? by_ll : by_simple)(asked, channels, links, nccl);
  time.start = simple ? simple_start(asked.collective, nccl) : nccl.small_start;
  time.hop = (simple ? nccl.hop : nccl.small_hop) * real(time.hops);
  time.transfer = bytes * steps.joined + (ll ? 0 : pipeline_fill(asked, channels, nccl));
  time.channel_rate = time.sent / (bytes * steps.channels * channels.count);
  time.rate = time.sent / time.transfer;
  time.by_links = steps.links > steps.channels;
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

double nccl_hbm_bytes(const NcclCollective& asked) {
  double accesses = 0;
  for (const RingSteps& step : steps_of(asked)) accesses += step.count * (step.reads + step.writes);
  return bytes_of_step(asked) * accesses;
}

}  // namespace kernbench
