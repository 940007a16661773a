// many-core-transfers: transfers published of a many-core chip beside what its simulated machine takes for them.
#include "benches/many_core_transfers/errors.hpp"
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

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  if (settings.verify) throw ConfigError("--verify: transfers carry no values");
  const PublishedTransfer& published = published_transfer(point);
  const SimulatedTransfer simulated = simulate_transfer(machine, point);
  const Row run = row_of_multi_pe(simulated.run);
  const double time = (simulated.time + machine.pe.clock.time_for(kProgram)).ns();
  const double measured = machine.pe.clock.time_for(published.cycles).ns();
  Row row;
  row.metrics = {{kTime, time},
                 {kMeasuredTime, measured},
                 {kError, time / measured - 1},
                 {kLimitedBy, run.metrics.at(kLimitedBy)},
                 {kLimitedByShare, run.metrics.at(kLimitedByShare)}};
  row.windows["pe_ns"] = time;
  if (published.fitted()) row.flags.emplace_back("fitted");
  return row;
}

double cost(const MachineSpec& /*machine*/, const Point& point) {
  const double receivers = point.at("pattern").get<std::string>().find("to all") != std::string::npos ? 60 : 1;
  return receivers * point.at("transactions").get<double>() * (2048 + point.at("bytes").get<double>());
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
    .check = check_transfer,
    .derive = transfer_error_rows,
    .figures = transfer_figures,
    .headline = transfer_headline,
});

}  // namespace
}  // namespace kernbench
