#include "benches/cli/gpu_collective.hpp"

#include "benches/cli/sim_collective_sizes.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"
#include "sim/plan/gpu/nccl.hpp"

namespace kernbench {
namespace {

Row row_of_nccl(const NcclCollective& asked, const GpuSpec& gpu) {
  const NcclTime time = nccl_time(asked, gpu);
  const double algbw = static_cast<double>(asked.bytes) / time.total;
  Row row;
  row.point = {{"collective", kCollectives[asked.collective]}, {"gpus", asked.gpus}};
  add_asked_of_nccl(asked, row.point);
  row.point["bytes"] = asked.bytes;
  row.metrics = {{"time_ns", time.time().ns()},
                 {"algbw_gbs", algbw},
                 {"busbw_gbs", algbw * busbw_factor(asked.collective, asked.gpus)},
                 {"protocol", kNcclProtocols[time.protocol]},
                 {"channels", time.channels},
                 {"threads", time.threads},
                 {"sms", nccl_sms(time, gpu)},
                 {"hops", time.hops},
                 {"start_ns", time.start},
                 {"hops_ns", time.hop},
                 {"transfer_ns", time.transfer},
                 {"channel_gbs", time.channel_rate},
                 {"rate_gbs", time.rate},
                 {"limited_by", time.limit()}};
  return row;
}

}  // namespace

void GpuCollectiveOptions::add_to(CommandSpec& command) { add_nccl_options(command, channels, threads, gpus); }

void refuse_gpu_collective_options(const GpuCollectiveOptions& options) {
  if (options.channels != 0 || options.threads != 0 || options.gpus != 0) {
    throw ConfigError("--channels, --nccl-threads, --gpus: expected a machine file of `kind: gpu`");
  }
}

int run_sim_collective_gpu(const MachineOptions& machine, const CollectiveOptions& workload,
                           const GpuCollectiveOptions& options, const OutputOptions& output) {
  if (workload.algorithms != "ring") {
    throw ConfigError("--algorithm " + workload.algorithms + ": expected ring, which is what is known of GPUs");
  }
  if (workload.ranks_per != "pe" || !workload.scale.empty() || !workload.chunk.empty() || !workload.packet.empty()) {
    throw ConfigError("--scale, --ranks-per, --chunk, --packet: expected a machine of PEs; the machine file is a GPU");
  }
  if (workload.root_option->given() || workload.root_die_option->given()) {
    throw ConfigError("--root, --root-die: expected a machine of PEs; GPUs are alike");
  }
  if (options.gpus > 0 && workload.ranks > 0 && options.gpus != workload.ranks) {
    throw ConfigError("--ranks " + std::to_string(workload.ranks) + ": expected none beside --gpus " +
                      std::to_string(options.gpus) + ", which is the same");
  }
  const LoadedGpu gpu = load_gpu(machine);
  NcclCollective asked;
  asked.collective = kCollectives.parse(workload.collective, "--collective");
  asked.gpus = options.gpus > 0 ? options.gpus : workload.ranks;
  if (asked.gpus == 0) asked.gpus = static_cast<std::int64_t>(gpu.spec.nvlink.gpus);
  asked.channels = options.channels;
  asked.threads = options.threads;
  std::vector<Row> rows;
  for (const Bytes bytes : parse_sizes(workload.sizes)) {
    asked.bytes = bytes;
    check_nccl(asked, gpu.spec);
    rows.push_back(row_of_nccl(asked, gpu.spec));
  }
  const auto tables = [&](const Look& look) {
    Table table({{"size (B)", Align::kRight},
                 {"time (us)", Align::kRight},
                 {"algbw (GB/s)", Align::kRight},
                 {"busbw (GB/s)", Align::kRight},
                 {"protocol"},
                 {"channels", Align::kRight},
                 {"SMs", Align::kRight},
                 {"limited by"}});
    for (const Row& row : rows) {
      const auto real = [&](const char* name) { return row.metrics.at(name).get<double>(); };
      const auto text = [&](const char* name) { return row.metrics.at(name).get<std::string>(); };
      table.add_row({grouped(row.point.at("bytes").get<std::int64_t>()), formatted("%.2f", real("time_ns") / 1000),
                     formatted("%.2f", real("algbw_gbs")), formatted("%.2f", real("busbw_gbs")), text("protocol"),
                     std::to_string(row.metrics.at("channels").get<std::int64_t>()),
                     std::to_string(row.metrics.at("sms").get<std::int64_t>()), text("limited_by")});
    }
    return styled(workload.collective + " over " + counted(asked.gpus, "GPU") + " on " + gpu.spec.name, Style::kBold,
                  look.colours) +
           "\n" + table.format(look);
  };
  output.deliver(tables, results_documents([&] { return gpu_results(rows, "sim-collective", gpu); }));
  return 0;
}

}  // namespace kernbench
