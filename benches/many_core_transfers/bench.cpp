// many-core-transfers: transfers published of a many-core chip beside what its simulated machine takes for them.
#include <algorithm>
#include <string>
#include <utility>

#include "benches/many_core_transfers/errors.hpp"
#include "benches/many_core_transfers/placements.hpp"
#include "benches/many_core_transfers/published_transfers.hpp"
#include "benches/many_core_transfers/transfer_programs.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

/// Of the measuring program, in all rows: it starts, sees the last acknowledgement, and that has come back by the rest
/// of the rings, of which the mesh has none (docs/many-core-transfers.md).
constexpr Cycles kProgram = 175;

constexpr Bytes kByPlacement = 1 << 20;  // whose time is told, all cores together

Row row_of(double time_ns, double measured_ns) {
  Row row;
  row.metrics = {{kTime, time_ns}, {kMeasuredTime, measured_ns}, {kError, time_ns / measured_ns - 1}};
  row.windows["pe_ns"] = time_ns;
  return row;
}

DramPlacement placement_of(const Point& point) {
  const auto pattern = point.at("pattern").get<std::string>();
  return {.channels = point.at("channels"),
          .cores = point.at("cores"),
          .careful = pattern.ends_with("carefully"),
          .writes = pattern.starts_with("DRAM write")};
}

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  if (settings.verify) throw ConfigError("--verify: transfers carry no values");
  const PublishedTransfer& published = published_transfer(point);
  if (published.by_placement()) {
    return row_of(kByPlacement / simulate_placement(machine, placement_of(point)), kByPlacement / published.rate_gbs);
  }
  const SimulatedTransfer simulated = simulate_transfer(machine, point);
  Row row = row_of((simulated.time + machine.pe.clock.time_for(kProgram)).ns(),
                   machine.pe.clock.time_for(published.cycles).ns());
  const Row run = row_of_multi_pe(simulated.run);
  row.metrics.set(kLimitedBy, run.metrics.at(kLimitedBy));
  row.metrics.set(kLimitedByShare, run.metrics.at(kLimitedByShare));
  if (published.fitted()) row.flags.emplace_back("fitted");
  return row;
}

void check(const MachineSpec& machine, const Point& point) {
  if (point.contains("bytes")) {
    check_transfer(machine, point);
  } else {
    check_placement(machine, placement_of(point));
  }
}

/// What issuing, the links and DRAM take at least, whichever takes longest.
Row theory(const MachineSpec& machine, const Point& point) {
  const bool placed = !point.contains("bytes");
  const std::int64_t channels = placed ? point.at("channels").get<std::int64_t>() : 1;
  const std::int64_t cores = placed ? point.at("cores").get<std::int64_t>() : 1;
  const std::int64_t transactions = placed ? 0 : point.at("transactions").get<std::int64_t>();
  const Bytes bytes = placed ? kByPlacement : transactions * point.at("bytes").get<Bytes>();
  const auto time_at = [bytes](std::int64_t units, const Bandwidth& each) {
    return Bandwidth{units * each.bytes_per_second}.time_for(bytes);
  };
  std::pair<Picoseconds, std::string> bound{transactions * machine.pe.control, "control"};
  bound = std::max(bound, {time_at(cores, machine.die.router.link), "network"});
  if (point.at("pattern").get<std::string>().starts_with("DRAM")) {
    bound = std::max(bound, {time_at(channels, machine.die.hbm.bandwidth), "hbm"});
  }
  Row row;
  row.metrics = {{kTime, bound.first.ns()}, {kBottleneck, bound.second}};
  return row;
}

double cost(const MachineSpec& /*machine*/, const Point& point) {
  const auto pattern = point.at("pattern").get<std::string>();
  if (!point.contains("bytes"))
    return 1e6 * point.at("channels").get<double>() * (pattern.ends_with("randomly") ? 20 : 1);
  return (pattern.ends_with("to all") ? 60 : 1) * point.at("transactions").get<double>() *
         (2048 + point.at("bytes").get<double>());
}

const bool registered = register_bench({
    .name = "many-core-transfers",
    .summary = "Transfers published of a Wormhole n150 beside its simulated machine, and the errors",
    .version = "1",
    .folder = "benches/many_core_transfers",
    .axes_from = published_transfer_axes,
    .machine_file = "topology/wormhole_n150.yaml",
    .report = {{"time_ns", "simulated (ns)"},
               {"measured_ns", "measured (ns)"},
               {"error", "error", true},
               {"limited_by", "limited by"}},
    .simulate = simulate,
    .cost = cost,
    .theory = theory,
    .check = check,
    .derive = transfer_error_rows,
    .figures = transfer_figures,
    .headline = transfer_headline,
});

}  // namespace
}  // namespace kernbench
