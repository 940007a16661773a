// A collective of NCCL over GPUs of one host, in closed form (adr/0051).
#include "benches/collective/derived_tables.hpp"
#include "benches/collective/workload.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "benches/workloads/collective/derive_collectives.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"
#include "sim/plan/gpu/nccl.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kChannelGbs{"channel_gbs"};
constexpr Metric<std::int64_t> kHopCount{"hops"};
constexpr Metric<double> kHopsTime{"hops_ns"};
constexpr Metric<double> kRateGbs{"rate_gbs"};
constexpr Metric<double> kStartTime{"start_ns"};
constexpr Metric<double> kTransferTime{"transfer_ns"};

struct OnGpus {
  NcclCollective asked;
  const GpuSpec& gpu;
};

CollectiveAsked settled_on_gpus(const MachineSpec& machine, const CollectiveAsked& asked) {
  CollectiveAsked settled = asked;
  if (asked.gpus == 0) settled.gpus = static_cast<std::int64_t>(machine.gpu->spec.nvlink.gpus);
  return settled;
}

OnGpus place_on_gpus(const MachineSpec& machine, const CollectiveAsked& asked) {
  return {nccl_of(asked, machine.gpu->spec), machine.gpu->spec};
}

std::string title_on_gpus(const OnGpus& placed) {
  return std::string(kCollectives[placed.asked.collective]) + " of " +
         format_quantity(placed.asked.bytes, Dimension::kBytes) + " over " + counted(placed.asked.gpus, "GPU") +
         " on " + placed.gpu.name;
}

Row run_on_gpus(const OnGpus& placed, const RunSettings& /*settings*/) {
  const NcclTime time = nccl_time(placed.asked, placed.gpu);
  const double algbw = static_cast<double>(placed.asked.bytes) / time.total;
  Row row;
  row.metrics = {{kTime, time.time().ns()},
                 {kAlgbwGbs, algbw},
                 {kBusbwGbs, algbw * busbw_factor(placed.asked.collective, placed.asked.gpus)},
                 {kNcclProtocol, kNcclProtocols[time.protocol]},
                 {kNcclChannels, time.channels},
                 {kThreadCount, time.threads},
                 {kSmCount, nccl_sms(time, placed.gpu)},
                 {kHopCount, time.hops},
                 {kStartTime, time.start},
                 {kHopsTime, time.hop},
                 {kTransferTime, time.transfer},
                 {kChannelGbs, time.channel_rate},
                 {kRateGbs, time.rate},
                 {kLimitedBy, time.limit()}};
  return row;
}

std::vector<Fact> facts_on_gpus(const Row& row) {
  const auto real = [&row](const Metric<double>& metric) { return formatted("%.2f", row.metrics.at(metric)); };
  const auto whole = [&row](const Metric<std::int64_t>& metric) { return grouped(row.metrics.at(metric)); };
  return {{"time", formatted("%.2f", row.metrics.at(kTime) / 1000) + " us"},
          {"bandwidth", real(kAlgbwGbs) + " GB/s algbw, " + real(kBusbwGbs) + " GB/s busbw"},
          {"protocol", row.metrics.at(kNcclProtocol) + ", " + whole(kNcclChannels) + " channels of " +
                           whole(kThreadCount) + " threads, on " + whole(kSmCount) + " SMs"},
          {"parts", "start " + real(kStartTime) + " ns, " + whole(kHopCount) + " hops " + real(kHopsTime) +
                        " ns, transfer " + real(kTransferTime) + " ns"},
          {"limited by", row.metrics.at(kLimitedBy)}};
}

}  // namespace

WorkloadAnswers collectives_on_gpus(const Axes<CollectiveAsked>& axes) {
  const Answers<CollectiveAsked, OnGpus> answers{.columns = {{"time_ns", "time (ns)"},
                                                             {"algbw_gbs", "algbw (GB/s)"},
                                                             {"busbw_gbs", "busbw (GB/s)"},
                                                             {"protocol", "protocol"},
                                                             {"channels", "channels"},
                                                             {"sms", "SMs"}},
                                                 .settled = settled_on_gpus,
                                                 .place = place_on_gpus,
                                                 .title = title_on_gpus,
                                                 .run = run_on_gpus,
                                                 .facts = facts_on_gpus,
                                                 .derive = derive_collectives,
                                                 .summary = format_derived_collectives};
  return answers.of(axes);
}

}  // namespace kernbench
