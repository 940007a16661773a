#include "sim/system/gpu/gpu_concurrent.hpp"

#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kProductStream = 0;     // stream
constexpr std::int64_t kCollectiveStream = 1;  // stream

/// How often the two run beside each other.
struct Plan {
  std::int64_t phases = 8;       ///< of the products against the collectives
  std::int64_t collectives = 4;  ///< of a phase; the first of them is left out
};
constexpr double kMany = 1000;       // products in a collective: where they are as many, phases are alike
constexpr double kTooMany = 100000;  // minutes of simulation

Plan plan_of(const GpuConcurrent& alone) {
  const double products = alone.collective_alone.total / alone.product_alone.total;
  if (products > kTooMany) {
    throw ConfigError("a collective of " + formatted("%.4g us", alone.collective_alone.total / 1000) +
                      " beside products of " + formatted("%.4g us", alone.product_alone.total / 1000) +
                      ": expected one that lasts at most 100,000 products");
  }
  return products > kMany ? Plan{1, 2} : Plan{};
}

/// Of products and collectives that ran beside each other.
struct Seen {
  std::vector<Picoseconds> within;       ///< products that lay within a collective
  std::vector<Picoseconds> met;          ///< others that met one
  std::vector<Picoseconds> collectives;  ///< those after the first
  std::int64_t rounds = 0;
};

void look_at(const GpuRun& run, Seen& seen) {
  std::vector<GpuRecord> collectives;
  for (const GpuRecord& record : run.records) {
    if (record.stream == kCollectiveStream) collectives.push_back(record);
  }
  for (const GpuRecord& collective : collectives) {
    if (collective.launch > 0) seen.collectives.push_back(collective.end - collective.ready);
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

double GpuConcurrent::product_slowdown() const { return product.ns() / product_alone.time().ns(); }

double GpuConcurrent::collective_slowdown() const { return collective.ns() / collective_alone.time().ns(); }

GpuConcurrent run_concurrent(const GpuConcurrentCase& asked, const GpuSpec& gpu, const GpuRunSettings& settings) {
  check_nccl(asked.collective, gpu);
  GpuConcurrent beside;
  const GpuConditions alone{.l2 = asked.product.l2, .clock = clock_of(asked.product, gpu, settings)};
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
  const auto left = static_cast<std::int64_t>(static_cast<double>(sms - beside.collective_sms) * reached);
  const std::int64_t of_sm = ceil_div(beside.product_alone.ctas, most_ctas(asked.product.kernel, gpu, 0));
  beside.clusters_left = std::min(beside.clusters, left / cluster * of_sm);

  Seen seen;
  const Plan plan = plan_of(beside);
  for (std::int64_t phase = 0; phase < plan.phases; ++phase) {
    const Picoseconds begin{beside.product_alone.time().value * phase / plan.phases};
    const GpuStream products{{{.product = asked.product}}, begin, true};
    const GpuStream collectives{
        std::vector<GpuLaunched>(static_cast<std::size_t>(plan.collectives), {.collective = asked.collective}),
        {0},
        false};
    const GpuRun run = run_gpus(gpu, {{products, collectives}}, settings);
    beside.events += run.events;
    look_at(run, seen);
  }
  beside.products = static_cast<std::int64_t>(seen.within.size());
  beside.met = static_cast<std::int64_t>(seen.met.size());
  const std::vector<Picoseconds>& products = seen.within.empty() ? seen.met : seen.within;
  beside.product = products.empty() ? beside.product_alone.time() : middle(products);
  const auto [least, most] = std::ranges::minmax(seen.collectives);
  beside.collective_least = least;
  beside.collective_most = most;
  Picoseconds all;
  for (const Picoseconds time : seen.collectives) all += time;
  beside.collective = {all.value / static_cast<std::int64_t>(seen.collectives.size())};
  beside.rounds_left = seen.rounds;
  return beside;
}

}  // namespace kernbench
