// `kernbench sim math`: one element-wise operation, or reduction of rows, on one PE, tile by tile through the vector
// unit.
#include <array>
#include <memory>
#include <string_view>

#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/report/run_report.hpp"
#include "benches/harness/results/energy_row.hpp"
#include "benches/harness/results/limit.hpp"
#include "benches/harness/results/row_from_run.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/terminal.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench::sim_math_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim math --op relu --m 512 --n 512
  kernbench sim math --op add --m 512 --n 512 --verify
  kernbench sim math --op gelu --m 512 --n 512 --set pe.vector.lanes=256
  kernbench sim math --op row_sum --m 512 --n 512 --set pe.vector.rates.reduce=0.5

Exit codes: 0 all well, 1 the simulation failed or computed a wrong value, 2 wrong input.)";

constexpr std::array<std::string_view, 8> kOperations{"scale", "add",  "multiply", "relu",
                                                      "gelu",  "silu", "row_sum",  "row_max"};

struct Options : SimOptions {
  std::string op;
  std::int64_t m = 0;
  std::int64_t n = 0;
};

VectorOp parse_operation(const std::string& name) {
  if (const auto op = kVectorOps.find(name)) return *op;
  refuse_name("operation", name, kOperations, "--op");
}

TraceHeader header_of(const Options& options, const LoadedMachine& machine) {
  const std::string shape = std::to_string(options.m) + "x" + std::to_string(options.n);
  return {"math " + options.op + " " + shape + " on " + machine.spec.name,
          {{"machine", machine.spec.name},
           {"machine_sha256", machine.sha256},
           {"model", kModelVersion},
           {"operation", options.op},
           {"shape (MxN)", shape},
           {"layout", options.layout}}};
}

Row row_of(const RunResult& run, const Options& options, const MachineSpec& machine) {
  Row row;
  row.point = {{"op", options.op}, {"m", options.m}, {"n", options.n}, {"layout", options.layout}};
  row.metrics["time_ns"] = run.pe.length().ns();
  row.metrics["tiles"] = run.tiles;
  row.metrics["elements"] = options.m * options.n;
  row.metrics["hbm_read_bytes"] = run.hbm_read;
  row.metrics["hbm_written_bytes"] = run.hbm_written;
  row.metrics["hbm_bursts"] = run.engine.bursts;
  if (run.hbm_busy_ns) row.metrics["hbm_busy_ns"] = *run.hbm_busy_ns;
  row.metrics["engine_wakeups"] = run.engine.wakeups;
  add_energy(row, machine.energy, run.activity, run.pe.length());
  row.windows["pe_ns"] = run.pe.length().ns();
  row.windows["composite_ns"] = run.composite.length().ns();
  add_ledger(row, run.ledger);
  row.stages = stage_rows(run, machine.energy);
  return row;
}

std::string format_report(const Options& options, const TraceHeader& header, const Row& row, const MachineSpec& machine,
                          const Look& look) {
  const auto metric = [&row](const char* name) { return row.metrics.at(name).get<std::int64_t>(); };
  const double time_ns = row.metrics.at("time_ns").get<double>();
  const TileShape& tile = machine.pe.mac.tile;
  std::string text = styled(header.title, Style::kBold, look.colours) + "\n" + counted(metric("tiles"), "tile") +
                     " of " + std::to_string(tile.m) + "x" + std::to_string(tile.n) + ", " + options.layout +
                     " layout, " + counted(metric("elements"), "element") + "\n\n" + format_stages(row, machine, look) +
                     "\n";
  text += fact("PE window", one_decimal(time_ns) + " ns", look);
  text += fact("composite", one_decimal(row.windows.at("composite_ns").get<double>()) + " ns", look);
  text += fact("rate", one_decimal(static_cast<double>(metric("elements")) / time_ns) + " elements a ns", look);
  text += format_limit(row, machine, look);
  text += fact("HBM",
               grouped(metric("hbm_read_bytes")) + " B read, " + grouped(metric("hbm_written_bytes")) +
                   " B written, in bursts of " + std::to_string(machine.die.hbm.burst) + " B",
               look);
  return text + format_extras(row, options.trace.string(), look);
}

int run(const Options& options) {
  const LoadedMachine machine = options.machine->load();
  const MathProblem problem{parse_operation(options.op), options.m, options.n,
                            kLayouts.parse(options.layout, "--layout")};
  // Also refuses, before anything is started, what does not fit.
  const MemoryEstimate memory = math_memory(machine.spec, problem, options.verify);
  const TraceHeader header = header_of(options, machine);
  const Row row = simulate_isolated(options, header, memory, [&](const RunSettings& settings) {
    return row_of(run_math(machine.spec, problem, settings), options, machine.spec);
  });
  options.deliver([&](const Look& look) { return format_report(options, header, row, machine.spec, look); },
                  as_results({row}, "sim-math", machine), machine, header.title);
  return 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("--op", options->op, "One of " + joined(kOperations)).required().type_name("OP");
  command.add_option("--m", options->m, "Rows").required().rule(whole_number(1, kLargestDimension)).type_name("M");
  command.add_option("--n", options->n, "Columns").required().rule(whole_number(1, kLargestDimension)).type_name("N");
  options->add_to(command);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench::sim_math_command
