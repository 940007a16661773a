#include "benches/universal_gemm/point.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr Metric<std::string> kCutsText{"cuts"};
constexpr Metric<double> kExposedTime{"exposed_ns"};
constexpr Metric<double> kFlopCount{"flops"};
constexpr Metric<double> kMultiplyingTime{"multiplying_ns"};
constexpr Metric<std::int64_t> kProductCount{"products"};
constexpr Metric<std::string> kStationaryText{"stationary"};

}  // namespace

std::optional<GemmPlacement> placement_of_cells(const std::string& text) {
  if (text == "even") return std::nullopt;
  const std::vector<std::string> policies = split(text, "-");
  if (policies.size() != 3) {
    throw ConfigError("expected policies of A, B and C, as in blocks-rows-columns, or even, got " + in_quotes(text));
  }
  const auto policy = [&](std::size_t i) {
    const PlacementPolicy one = kPlacementPolicies.parse(policies[i], "policy");
    if (one != PlacementPolicy::kReplicate) return one;
    throw ConfigError("expected rows, columns or blocks of each, or even, got " + in_quotes(text));
  };
  return GemmPlacement{policy(0), policy(1), policy(2)};
}

DistributedRequest distributed_request(const MachineSpec& machine, const Point& point) {
  const int replication = point.at("replication");
  DistributedRequest request;
  request.problem = {.m = point.at("m"),
                     .k = point.at("k"),
                     .n = point.at("n"),
                     .partitions = parse_partitions(point.at("partitions").get<std::string>(), "partitions"),
                     .replication = {replication, replication, replication},
                     .method = kDistributedMethods.parse(point.at("method").get<std::string>(), "method"),
                     .devices = static_cast<int>(machine.system.packages.count())};
  request.depth = {point.at("prefetch"), point.at("outstanding")};
  request.placement = placement_of_cells(point.at("placement").get<std::string>());
  request.launch = from_ns(point.at("launch_ns").get<std::int64_t>());
  return request;
}

Row row_of_distributed(const DistributedResult& run, const DistributedRequest& request, const MachineSpec& machine) {
  const DistributedGemm& problem = request.problem;
  const double flops =
      2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.k) * static_cast<double>(problem.n);
  const auto pes = static_cast<double>(machine.system.packages.count() * pes_of_device(machine));
  const double peak = pes * machine.pe.peak_tflops();
  Row row;
  row.metrics.set(kTime, run.time.ns());
  row.metrics.set(kFlopCount, flops);
  row.metrics.set(kTflops, flops / static_cast<double>(run.time.value));
  row.metrics.set(kTheoreticalTflops, peak);
  row.metrics.set(kPeakFraction, flops / static_cast<double>(run.time.value) / peak);
  Bytes most = 0;
  Bytes all = 0;
  Picoseconds exposed;
  Picoseconds multiplying;
  for (std::size_t device = 0; device < run.devices.size(); ++device) {
    const DeviceTimes& of = run.devices[device];
    most = std::max(most, of.traffic.received);
    all += of.traffic.received;
    exposed = std::max(exposed, of.exposed);
    multiplying = std::max(multiplying, of.multiplying);
    const std::string name = "package" + std::to_string(device);
    row.stages.push_back({"multiplying", name, of.multiplying.ns(), of.multiplying.ns(), of.products, 0, of.macs});
    row.stages.push_back({"moving", name, of.moving.ns(), of.moving.ns(), 1, of.traffic.received, 0});
    row.stages.push_back({"exposed", name, of.exposed.ns(), of.exposed.ns(), 1, 0, 0});
  }
  row.metrics.set(kReceivedBytes, most);
  row.metrics.set(kReceivedBytesTotal, all);
  row.metrics.set(kMultiplyingTime, multiplying.ns());
  row.metrics.set(kExposedTime, exposed.ns());
  row.metrics.set(kBoundTime, run.bound.time().ns());
  row.metrics.set(kBoundBottleneck, run.bound.limit());
  row.metrics.set(kStationaryText, std::string(kDistributedMethods[run.method]));
  if (run.method == DistributedMethod::kDtensor) row.metrics.set(kCutsText, to_text(run.cuts));
  row.metrics.set(kWorldSize, problem.devices);
  row.metrics.set(kProductCount, run.products);
  row.metrics.set(kEngineWakeups, run.wakeups);
  add_energy(row, machine.energy, run.activity, run.time);
  if (run.compared > 0) row.flags.emplace_back("verified");
  return row;
}

}  // namespace kernbench
