#include "sim/system/gpu/gpu_beside.hpp"

#include <algorithm>

namespace kernbench {
namespace {

constexpr std::int64_t kProductStream = 0;     // stream
constexpr std::int64_t kCollectiveStream = 1;  // stream

constexpr std::int64_t kPhases = 8;              // of the products against the collectives
constexpr std::int64_t kCollectivesOfPhase = 4;  // the first of which is left out

/// Of products and collectives that ran beside each other.
struct Seen {
  std::vector<Picoseconds> within;  ///< products that lay within a collective
  std::vector<Picoseconds> met;     ///< others that met one
  Picoseconds collectives;          ///< the sum of those after the first
  std::int64_t rounds = 0;
};

void look_at(const GpuRun& run, Seen& seen) {
  std::vector<GpuRecord> collectives;
  for (const GpuRecord& record : run.records) {
    if (record.stream == kCollectiveStream) collectives.push_back(record);
  }
  for (const GpuRecord& collective : collectives) {
    if (collective.launch > 0) seen.collectives += collective.end - collective.ready;
  }
  for (const GpuRecord& product : run.records) {
    if (product.stream != kProductStream) continue;
    for (const GpuRecord& collective : collectives) {
      if (product.ready >= collective.end || product.end <= collective.begin) continue;
      const bool inside = product.ready >= collective.begin && product.end <= collective.end;
      (inside ? seen.within : seen.met).push_back(product.end - product.ready);
      if (inside || seen.within.empty()) seen.rounds = std::max(seen.rounds, product.tiles);
    }
  }
}

Picoseconds middle(std::vector<Picoseconds> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

double GpuBeside::product_slowdown() const { return product.ns() / product_alone.time().ns(); }

double GpuBeside::collective_slowdown() const { return collective.ns() / collective_alone.time().ns(); }

GpuBeside run_beside(const GpuBesideCase& asked, const GpuSpec& gpu, const GpuRunSettings& settings) {
  check_nccl(asked.collective, gpu);
  GpuBeside beside;
  const GpuConditions alone{.l2 = asked.product.l2, .clock = settings.clock};
  check_gemm(asked.product.gemm, gpu);
  check_kernel(asked.product.kernel, asked.product.gemm, gpu, "the product");
  beside.product_alone = gpu_gemm_time(asked.product.gemm, asked.product.kernel, gpu, alone);
  beside.collective_alone = nccl_time(asked.collective, gpu);
  beside.collective_sms = nccl_sms(beside.collective_alone, gpu);
  const std::int64_t cluster = asked.product.kernel.cluster();
  const auto sms = static_cast<std::int64_t>(gpu.sm.count);
  beside.clusters = beside.product_alone.ctas / cluster;
  beside.rounds = beside.product_alone.rounds;
  const double reached = cluster > 2 ? gpu.sm.clustered / gpu.sm.count : 1;
  beside.clusters_left = std::min(
      beside.clusters, static_cast<std::int64_t>(static_cast<double>(sms - beside.collective_sms) * reached) / cluster);

  Seen seen;
  for (std::int64_t phase = 0; phase < kPhases; ++phase) {
    const Picoseconds begin{beside.product_alone.time().value * phase / kPhases};
    const GpuStream products{{{.product = asked.product}}, begin, true};
    const GpuStream collectives{
        std::vector<GpuLaunched>(kCollectivesOfPhase, {.collective = asked.collective}), {0}, false};
    const GpuRun run = run_gpus(gpu, {{products, collectives}}, settings);
    beside.events += run.events;
    look_at(run, seen);
  }
  beside.products = static_cast<std::int64_t>(seen.within.size());
  beside.product = middle(seen.within.empty() ? seen.met : seen.within);
  beside.collective = {seen.collectives.value / (kPhases * (kCollectivesOfPhase - 1))};
  beside.rounds_left = seen.rounds;
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
