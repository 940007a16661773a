#include "benches/cli/in_bursts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "benches/cli/sim_report.hpp"
#include "benches/harness/results/limit.hpp"
#include "benches/harness/text/numbers.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {

const Row& fastest_of(const std::vector<Row>& rows) {
  return *std::ranges::min_element(rows, {}, [](const Row& row) {
    return row.status == "ok" ? row.windows.at("pe_ns").get<double>() : std::numeric_limits<double>::infinity();
  });
}

std::optional<Row> simulate_in_bursts(SimGemmOptions options, const GemmProblem& problem, const GemmWay& way,
                                      LoadedMachine machine) {
  if (machine.spec.simulation.packet <= machine.spec.die.hbm.burst) return std::nullopt;
  machine.spec.simulation.packet = machine.spec.die.hbm.burst;
  options.time_limit.clear();
  return simulate_gemm(without_records(std::move(options)), problem, way, machine);
}

std::string format_in_bursts(const Row& row, const std::optional<Row>& in_bursts, const MachineSpec& machine,
                             const Look& look) {
  if (!in_bursts) return "";
  const double exact = in_bursts->windows.at("pe_ns").get<double>();
  const double error = row.windows.at("pe_ns").get<double>() / exact - 1;
  const std::string burst = format_quantity(machine.die.hbm.burst, Dimension::kBytes);
  std::string text = "of " + format_quantity(machine.simulation.packet, Dimension::kBytes) +
                     ", coarser than bursts: in packets of " + burst + " it takes " + one_decimal(exact) +
                     " ns, so this is " + percent(std::abs(error)) + (error < 0 ? " too short" : " too long");
  if (const auto limit = limit_words(*in_bursts)) text += "; limited there by " + limit->what;
  return fact("packets", text + " (on one PE --set simulation.packet_bytes='" + burst + "' costs no more)", look);
}

}  // namespace kernbench
