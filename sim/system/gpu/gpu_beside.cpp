#include "sim/system/gpu/gpu_beside.hpp"

#include <algorithm>

namespace kernbench {
namespace {

constexpr std::int64_t kProductStream = 0;     // stream
constexpr std::int64_t kCollectiveStream = 1;  // stream

Picoseconds middle(std::vector<Picoseconds> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

double GpuBeside::product_slowdown() const { return product.ns() / product_alone.time().ns(); }

double GpuBeside::collective_slowdown() const { return collective.ns() / collective_alone.time().ns(); }

GpuBeside run_beside(const GpuBesideCase& asked, const GpuSpec& gpu, const GpuRunSettings& settings,
                     std::int64_t collectives) {
  check_nccl(asked.collective, gpu);
  GpuStream products{{{.product = asked.product}}, {0}, true};
  GpuStream others{
      std::vector<GpuLaunched>(static_cast<std::size_t>(collectives), {.collective = asked.collective}), {0}, false};
  const GpuRun run = run_gpus(gpu, {{products, others}}, settings);

  GpuBeside beside;
  beside.events = run.events;
  GpuConditions alone{.l2 = asked.product.l2, .clock = settings.clock};
  beside.product_alone = gpu_gemm_time(asked.product.gemm, asked.product.kernel, gpu, alone);
  beside.collective_alone = nccl_time(asked.collective, gpu);
  beside.collective_sms = nccl_sms(beside.collective_alone, gpu);
  const std::int64_t cluster = asked.product.kernel.cluster();
  beside.clusters = beside.product_alone.ctas / cluster;
  beside.rounds = beside.product_alone.rounds;
  const auto sms = static_cast<std::int64_t>(gpu.sm.count);
  beside.clusters_left = std::min(beside.clusters, (sms - beside.collective_sms) / cluster);

  std::vector<Picoseconds> within;
  std::vector<Picoseconds> met;
  Picoseconds sum;
  std::int64_t counted = 0;
  for (const GpuRecord& collective : run.records) {
    if (collective.stream != kCollectiveStream) continue;
    if (collective.launch > 0 || collectives == 1) {
      sum += collective.end - collective.ready;
      ++counted;
    }
    for (const GpuRecord& product : run.records) {
      if (product.stream != kProductStream || product.ready >= collective.end || product.end <= collective.begin) continue;
      const bool inside = product.ready >= collective.begin && product.end <= collective.end;
      (inside ? within : met).push_back(product.end - product.ready);
      if (inside) beside.rounds_left = std::max(beside.rounds_left, product.tiles);
    }
  }
  beside.products = static_cast<std::int64_t>(within.size());
  const std::vector<Picoseconds>& kept = within.empty() ? met : within;
  if (!kept.empty()) beside.product = middle(kept);
  beside.collective = {sum.value / counted};
  if (within.empty())
    beside.rounds_left =
        ceil_div(ceil_div(beside.product_alone.tiles, cluster), std::max<std::int64_t>(1, beside.clusters_left));
  return beside;
}

std::vector<GpuBeside> sweep_channels(const GpuBesideCase& asked, const GpuSpec& gpu,
                                      const std::vector<std::int64_t>& channels) {
  std::vector<GpuBeside> all;
  for (const std::int64_t count : channels) {
    GpuBesideCase one = asked;
    one.collective.channels = count;
    all.push_back(run_beside(one, gpu));
  }
  return all;
}

}  // namespace kernbench
