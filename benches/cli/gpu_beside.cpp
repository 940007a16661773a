// `kernbench sim gemm --beside` on GPUs: a product and a collective, each alone and both together (adr/0050).
#include "sim/system/gpu/gpu_beside.hpp"

#include "benches/cli/gpu_gemm.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

NcclCollective collective_of(const SimGemmOptions& options, const GpuSpec& gpu) {
  const std::vector<std::string> parts = split(options.beside, ":");
  if (parts.size() != 2) {
    throw ConfigError("--beside " + in_quotes(options.beside) +
                      ": expected COLLECTIVE:SIZE, e.g. all_reduce:64MiB; GPUs choose the algorithm themselves");
  }
  NcclCollective asked;
  asked.collective = kCollectives.parse(parts[0], "--beside");
  asked.bytes = option_quantity("--beside", parts[1], Dimension::kBytes);
  asked.gpus = options.gpus > 0 ? options.gpus : static_cast<std::int64_t>(gpu.nvlink.gpus);
  asked.channels = options.channels;
  asked.threads = options.nccl_threads;
  check_nccl(asked, gpu);
  return asked;
}

std::string microseconds(double ns) { return formatted("%.2f", ns / 1000); }

Row row_of_beside(const GpuBesideCase& asked, GpuState state, const GpuBeside& beside) {
  Row row;
  row.point = {{"m", asked.product.gemm.m},
               {"k", asked.product.gemm.k},
               {"n", asked.product.gemm.n},
               {"dtype", name_of(asked.product.gemm.dtype)},
               {"state", kGpuStates[state]},
               {"kernel", to_text(asked.product.kernel)},
               {"collective", kCollectives[asked.collective.collective]},
               {"l2", kL2States[asked.product.l2]},
               {"bytes", asked.collective.bytes},
               {"gpus", asked.collective.gpus}};
  add_asked_of_nccl(asked.collective, row.point);
  row.metrics = {{"time_ns", beside.product.ns()},
                 {"gemm_alone_ns", beside.product_alone.time().ns()},
                 {"gemm_with_ns", beside.product.ns()},
                 {"gemm_slowdown", beside.product_slowdown()},
                 {"collective_alone_ns", beside.collective_alone.time().ns()},
                 {"collective_with_ns", beside.collective.ns()},
                 {"collective_slowdown", beside.collective_slowdown()},
                 {"collective_least_ns", beside.collective_least.ns()},
                 {"collective_most_ns", beside.collective_most.ns()},
                 {"protocol", kNcclProtocols[beside.collective_alone.protocol]},
                 {"channels", beside.collective_alone.channels},
                 {"nccl_threads", beside.collective_alone.threads},
                 {"collective_sms", beside.collective_sms},
                 {"ctas", beside.clusters * asked.product.kernel.cluster()},
                 {"ctas_left", beside.clusters_left * asked.product.kernel.cluster()},
                 {"rounds", beside.rounds},
                 {"rounds_left", beside.rounds_left},
                 {"events", beside.events}};
  return row;
}

std::string times_table(const GpuBeside& beside, const Look& look) {
  Table table({{""}, {"alone (us)", Align::kRight}, {"together (us)", Align::kRight}, {"times", Align::kRight}});
  table.add_row({"product", microseconds(beside.product_alone.time().ns()), microseconds(beside.product.ns()),
                 formatted("%.2f", beside.product_slowdown())});
  table.add_row({"collective", microseconds(beside.collective_alone.time().ns()), microseconds(beside.collective.ns()),
                 formatted("%.2f", beside.collective_slowdown())});
  return table.format(look);
}

std::string why_slower(const GpuBesideCase& asked, const GpuBeside& beside, const GpuSpec& gpu) {
  const std::int64_t cluster = asked.product.kernel.cluster();
  const auto sms = static_cast<std::int64_t>(gpu.sm.count);
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

constexpr std::int64_t kMeasuredThreads = 512;

std::string few_threads(const NcclTime& alone) {
  return "times of channels of " + std::to_string(alone.threads) +
         " threads are a tenth to a fifth too short where there are several";
}

std::string counted_how(const GpuBeside& beside) {
  const std::string streams = ", both again and again on two streams.";
  const std::string collectives = " A collective took " + microseconds(beside.collective_least.ns()) + " to " +
                                  microseconds(beside.collective_most.ns()) +
                                  " us, its wait for SMs included: what of a product it comes in the middle of "
                                  "decides, and the mean moves with it.";
  if (beside.products > 0) {
    return "together: the median of " + counted(beside.products, "product") + " that lay within a collective" +
           streams + collectives;
  }
  if (beside.met > 0) {
    return "together: no product lay within a collective; those that met one are counted" + streams + collectives;
  }
  return "together: no product met a collective, which comes between two" + streams + collectives;
}

}  // namespace

void add_nccl_options(CommandSpec& command, std::int64_t& channels, std::int64_t& threads, std::int64_t& gpus) {
  command.add_option("--channels", channels, "Of a collective on GPUs: its channels, a CTA each [the library's number]")
      .rule(whole_number(1, 1024));
  command.add_option("--nccl-threads", threads, "Likewise: threads of a channel [the library's number]")
      .rule(whole_number(64, 512));
  command.add_option("--gpus", gpus, "Likewise: GPUs that do it [all]").rule(whole_number(1, 128));
}

void add_asked_of_nccl(const NcclCollective& asked, Json& point) {
  if (asked.channels > 0) point["channels_asked"] = asked.channels;
  if (asked.threads > 0) point["threads_asked"] = asked.threads;
}

int run_sim_gemm_gpu_beside(const SimGemmOptions& options) {
  const LoadedGpu gpu = load_gpu(*options.machine);
  GpuBesideCase asked;
  asked.product.gemm = gpu_gemm_of(options, gpu.spec);
  asked.product.kernel = gpu_kernel_of(options, asked.product.gemm, gpu.spec);
  asked.product.l2 = l2_state_of(options);
  asked.collective = collective_of(options, gpu.spec);
  const GpuState state = gpu_state_of(options);
  const GpuBeside beside = run_beside(asked, gpu.spec, {.state = state});
  const auto tables = [&](const Look& look) {
    const NcclTime& alone = beside.collective_alone;
    return styled(gpu_title(asked.product.gemm, gpu) + " beside " +
                      std::string(kCollectives[asked.collective.collective]) + " of " +
                      format_quantity(asked.collective.bytes, Dimension::kBytes) + " over " +
                      counted(asked.collective.gpus, "GPU"),
                  Style::kBold, look.colours) +
           "\n" + fact("kernel", to_text(asked.product.kernel) + ", that of the product alone", look) +
           fact("collective",
                std::string(kNcclProtocols[alone.protocol]) + ", " + counted(alone.channels, "channel") + " of " +
                    std::to_string(alone.threads) + " threads on " + counted(beside.collective_sms, "SM") +
                    ", limited by " + alone.limit(),
                look) +
           (alone.threads < kMeasuredThreads ? fact("note", few_threads(alone), look) : "") + "\n" +
           times_table(beside, look) + "\n" + fact("why", why_slower(asked, beside, gpu.spec), look) +
           fact("clock", state == GpuState::kBurst ? "that of a burst" : "that of the same work again and again",
                look) +
           fact("events", grouped(beside.events) + ", of one GPU: the others do the same", look) +
           prose(counted_how(beside), look);
  };
  deliver_gpu(options, tables, gpu_results({row_of_beside(asked, state, beside)}, "sim-gemm-beside", gpu), gpu,
              gpu_title(asked.product.gemm, gpu) + " beside " + options.beside);
  return 0;
}

}  // namespace kernbench
