#include "benches/universal_gemm/point.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "benches/results/rows/energy_row.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {

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
  row.metrics["time_ns"] = run.time.ns();
  row.metrics["flops"] = flops;
  row.metrics["tflops"] = flops / static_cast<double>(run.time.value);
  row.metrics["theoretical_tflops"] = peak;
  row.metrics["peak_fraction"] = flops / static_cast<double>(run.time.value) / peak;
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
  row.metrics["received_bytes"] = most;
  row.metrics["received_bytes_total"] = all;
  row.metrics["multiplying_ns"] = multiplying.ns();
  row.metrics["exposed_ns"] = exposed.ns();
  row.metrics["bound_ns"] = run.bound.time().ns();
  row.metrics["bound_bottleneck"] = run.bound.limit();
  row.metrics["stationary"] = std::string(kDistributedMethods[run.method]);
  if (run.method == DistributedMethod::kDtensor) row.metrics["cuts"] = to_text(run.cuts);
  row.metrics["world_size"] = problem.devices;
  row.metrics["products"] = run.products;
  row.metrics["engine_wakeups"] = run.wakeups;
  add_energy(row, machine.energy, run.activity, run.time);
  if (run.compared > 0) row.flags.emplace_back("verified");
  return row;
}

}  // namespace kernbench
