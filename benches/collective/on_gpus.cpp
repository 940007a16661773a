// A collective of NCCL over GPUs of one host, in closed form (adr/0051).
#include "benches/collective/derived_tables.hpp"
#include "benches/collective/workload.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/workloads/collective/derive_collectives.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"
#include "sim/plan/gpu/nccl.hpp"

namespace kernbench {
namespace {

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
  row.metrics = {{"time_ns", time.time().ns()},
                 {"algbw_gbs", algbw},
                 {"busbw_gbs", algbw * busbw_factor(placed.asked.collective, placed.asked.gpus)},
                 {"protocol", kNcclProtocols[time.protocol]},
                 {"channels", time.channels},
                 {"threads", time.threads},
                 {"sms", nccl_sms(time, placed.gpu)},
                 {"hops", time.hops},
                 {"start_ns", time.start},
                 {"hops_ns", time.hop},
                 {"transfer_ns", time.transfer},
                 {"channel_gbs", time.channel_rate},
                 {"rate_gbs", time.rate},
                 {"limited_by", time.limit()}};
  return row;
}

std::vector<Fact> facts_on_gpus(const Row& row) {
  const auto real = [&row](const char* metric) { return formatted("%.2f", number(row, metric)); };
  const auto whole = [&row](const char* metric) { return grouped(row.metrics.at(metric).get<std::int64_t>()); };
  const auto word = [&row](const char* metric) { return row.metrics.at(metric).get<std::string>(); };
  return {{"time", formatted("%.2f", number(row, "time_ns") / 1000) + " us"},
          {"bandwidth", real("algbw_gbs") + " GB/s algbw, " + real("busbw_gbs") + " GB/s busbw"},
          {"protocol", word("protocol") + ", " + whole("channels") + " channels of " + whole("threads") +
                           " threads, on " + whole("sms") + " SMs"},
          {"parts", "start " + real("start_ns") + " ns, " + whole("hops") + " hops " + real("hops_ns") +
                        " ns, transfer " + real("transfer_ns") + " ns"},
          {"limited by", word("limited_by")}};
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
