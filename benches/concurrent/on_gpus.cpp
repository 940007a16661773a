// A product and a collective of NCCL on GPUs of one host, again and again on two streams (adr/0050).
#include "benches/concurrent/workload.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/row_from_gpu.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/system/gpu/gpu_concurrent.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kCollectiveLeast{"collective_least_ns"};
constexpr Metric<double> kCollectiveMost{"collective_most_ns"};
constexpr Metric<std::string> kCollectiveLimitedBy{"collective_limited_by"};
constexpr Metric<std::int64_t> kCollectiveSms{"collective_sms"};
constexpr Metric<std::int64_t> kEventCount{"events"};
constexpr Metric<std::int64_t> kMetCount{"met"};
constexpr Metric<std::int64_t> kNcclThreads{"nccl_threads"};
constexpr Metric<std::int64_t> kProductCount{"products"};
constexpr Metric<std::string> kWhySlower{"why"};

struct ConcurrentOnGpus {
  GpuConcurrentCase what;
  GpuState state;
  const GpuSpec& gpu;
};

ConcurrentAsked settled_on_gpus(const MachineSpec& machine, const ConcurrentAsked& asked) {
  ConcurrentAsked settled = asked;
  settled.collective.gpus = nccl_of(asked.collective, machine.gpu->spec).gpus;
  return settled;
}

ConcurrentOnGpus place_on_gpus(const MachineSpec& machine, const ConcurrentAsked& asked) {
  const GpuSpec& gpu = machine.gpu->spec;
  ConcurrentOnGpus placed{{}, asked.gemm.state, gpu};
  placed.what.product.gemm = {asked.gemm.m, asked.gemm.k, asked.gemm.n, asked.gemm.dtype};
  check_gemm(placed.what.product.gemm, gpu);
  placed.what.product.kernel = gpu_kernel_of(asked.gemm.variant, placed.what.product.gemm, gpu, "variant");
  placed.what.product.l2 = asked.gemm.l2;
  placed.what.collective = nccl_of(asked.collective, gpu);
  return placed;
}

std::string title_on_gpus(const ConcurrentOnGpus& placed) {
  const GpuGemm& gemm = placed.what.product.gemm;
  const NcclCollective& collective = placed.what.collective;
  return "gemm " + to_text(TileShape{gemm.m, gemm.k, gemm.n}) + " " + std::string(name_of(gemm.dtype)) + " on " +
         placed.gpu.name + " beside " + std::string(kCollectives[collective.collective]) + " of " +
         format_quantity(collective.bytes, Dimension::kBytes) + " over " + counted(collective.gpus, "GPU");
}

constexpr std::int64_t kMeasuredThreads = 512;

std::string why_slower(const ConcurrentOnGpus& placed, const GpuConcurrent& beside) {
  const std::int64_t cluster = placed.what.product.kernel.cluster();
  const auto sms = static_cast<std::int64_t>(placed.gpu.sm.count);
  const std::string sms_left = counted(sms - beside.collective_sms, "SM") + " left";
  if (beside.clusters_left == 0) {
    return "none of its clusters of " + counted(cluster, "CTA") + " fits the " + sms_left +
           ": the product waits until the collective ends";
  }
  const std::string left = std::to_string(beside.clusters_left * cluster) + " of its " +
                           counted(beside.clusters * cluster, "CTA") + " fit the " + sms_left;
  if (beside.rounds_left > beside.rounds) {
    return left + ": " + counted(beside.rounds_left, "round") + " of tiles instead of " + std::to_string(beside.rounds);
  }
  if (beside.clusters_left < beside.clusters && beside.rounds == 1) {
    return left + ": the others wait until the collective ends";
  }
  return left + ": " + counted(beside.rounds, "round") + " of tiles as alone; the clock and HBM are shared";
}

Row run_on_gpus(const ConcurrentOnGpus& placed, const RunSettings& /*settings*/) {
  const GpuConcurrent beside = run_concurrent(placed.what, placed.gpu, {.state = placed.state});
  const std::int64_t cluster = placed.what.product.kernel.cluster();
  Row row;
  row.metrics = {{kTime, beside.product.ns()},
                 {kGemmAlone, beside.product_alone.time().ns()},
                 {kGemmTogether, beside.product.ns()},
                 {kGemmSlowdown, beside.product_slowdown()},
                 {kCollectiveAlone, beside.collective_alone.time().ns()},
                 {kCollectiveTogether, beside.collective.ns()},
                 {kCollectiveSlowdown, beside.collective_slowdown()},
                 {kCollectiveLeast, beside.collective_least.ns()},
                 {kCollectiveMost, beside.collective_most.ns()},
                 {kCollectiveLimitedBy, beside.collective_alone.limit()},
                 {kKernelText, to_text(placed.what.product.kernel)},
                 {kNcclProtocol, kNcclProtocols[beside.collective_alone.protocol]},
                 {kNcclChannels, beside.collective_alone.channels},
                 {kNcclThreads, beside.collective_alone.threads},
                 {kCollectiveSms, beside.collective_sms},
                 {kCtas, beside.clusters * cluster},
                 {kCtasLeft, beside.clusters_left * cluster},
                 {kRoundCount, beside.rounds},
                 {kRoundsLeft, beside.rounds_left},
                 {kProductCount, beside.products},
                 {kMetCount, beside.met},
                 {kEventCount, beside.events},
                 {kWhySlower, why_slower(placed, beside)}};
  return row;
}

std::string us(const Row& row, const Metric<double>& metric) {
  return formatted("%.2f", row.metrics.at(metric) / 1000);
}

std::string times_table(const Row& row, const Terminal& terminal) {
  Table table({{""}, {"alone (us)", Align::kRight}, {"together (us)", Align::kRight}, {"times", Align::kRight}});
  table.add_row(
      {"product", us(row, kGemmAlone), us(row, kGemmTogether), formatted("%.2f", row.metrics.at(kGemmSlowdown))});
  table.add_row({"collective", us(row, kCollectiveAlone), us(row, kCollectiveTogether),
                 formatted("%.2f", row.metrics.at(kCollectiveSlowdown))});
  return table.format(terminal);
}

std::string few_threads(std::int64_t threads) {
  return "times of channels of " + std::to_string(threads) +
         " threads are a tenth to a fifth too short where there are several";
}

std::string counted_how(const Row& row) {
  const std::string streams = ", both again and again on two streams.";
  const std::string collectives = " A collective took " + us(row, kCollectiveLeast) + " to " +
                                  us(row, kCollectiveMost) +
                                  " us, its wait for SMs included: what of a product it comes in the middle of "
                                  "decides, and the mean moves with it.";
  if (const std::int64_t products = row.metrics.at(kProductCount); products > 0) {
    return "together: the median of " + counted(products, "product") + " that lay within a collective" + streams +
           collectives;
  }
  if (row.metrics.at(kMetCount) > 0) {
    return "together: no product lay within a collective; those that met one are counted" + streams + collectives;
  }
  return "together: no product met a collective, which comes between two" + streams + collectives;
}

std::string report_on_gpus(const ConcurrentOnGpus& placed, const Row& row, const Terminal& terminal) {
  const std::int64_t threads = row.metrics.at(kNcclThreads);
  return fact("kernel", row.metrics.at(kKernelText) + ", that of the product alone", terminal) +
         fact("collective",
              row.metrics.at(kNcclProtocol) + ", " + counted(row.metrics.at(kNcclChannels), "channel") + " of " +
                  std::to_string(threads) + " threads on " + counted(row.metrics.at(kCollectiveSms), "SM") +
                  ", limited by " + row.metrics.at(kCollectiveLimitedBy),
              terminal) +
         (threads < kMeasuredThreads ? fact("note", few_threads(threads), terminal) : "") + "\n" +
         times_table(row, terminal) + "\n" + fact("why", row.metrics.at(kWhySlower), terminal) +
         fact("clock", placed.state == GpuState::kBurst ? "that of a burst" : "that of the same work again and again",
              terminal) +
         fact("events", grouped(row.metrics.at(kEventCount)) + ", of one GPU: the others do the same", terminal) +
         prose(counted_how(row), terminal);
}

}  // namespace

WorkloadAnswers concurrent_on_gpus(const Axes<ConcurrentAsked>& axes) {
  const Answers<ConcurrentAsked, ConcurrentOnGpus> answers{
      .columns = {{"time_ns", "gemm (ns)"},
                  {"gemm_alone_ns", "gemm alone (ns)"},
                  {"gemm_slowdown", "gemm of alone", true},
                  {"collective_alone_ns", "collective alone (ns)"},
                  {"collective_slowdown", "collective of alone", true},
                  {"kernel", "kernel"}},
      .settled = settled_on_gpus,
      .place = place_on_gpus,
      .title = title_on_gpus,
      .run = run_on_gpus,
      .report = report_on_gpus};
  return answers.of(axes);
}

}  // namespace kernbench
