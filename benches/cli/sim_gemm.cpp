// `kernbench sim gemm`: one GEMM on one PE, its stages, and the closed-form bound beside it.
#include <unistd.h>

#include <memory>

#include "benches/cli/sim_report.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/row_from_run.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim gemm --m 512 --k 512 --n 512 --variant load_ref
  kernbench sim gemm --m 32 --k 3072 --n 32 --variant ref_ref --verify
  kernbench sim gemm --m 256 --k 256 --n 256 --variant load_load --epilogue bias,gelu
  kernbench sim gemm --m 128 --k 128 --n 128 --variant ref_ref --layout row_major --set pe.dma.outstanding_bursts=16
  kernbench sim gemm --m 128 --k 128 --n 128 --variant load_ref --trace gemm.perfetto-trace.gz

Exit codes: 0 all well, 1 the simulation failed or computed a wrong value, 2 wrong input.)";

struct Options : SimOptions {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::string variant;
  std::string epilogue;
};

std::string shape_of(const GemmProblem& problem) {
  return std::to_string(problem.m) + "x" + std::to_string(problem.k) + "x" + std::to_string(problem.n);
}

TraceHeader header_of(const Options& options, const GemmProblem& problem, const LoadedMachine& machine) {
  std::string title = "gemm " + shape_of(problem) + " " + options.variant + " on " + machine.spec.name;
  return {std::move(title),
          {{"machine", machine.spec.name},
           {"machine_sha256", machine.sha256},
           {"model", kModelVersion},
           {"shape (MxKxN)", shape_of(problem)},
           {"variant", options.variant},
           {"layout", options.layout},
           {"epilogue", options.epilogue.empty() ? "none" : options.epilogue}}};
}

void add_bound(Row& row, const GemmBound& bound) {
  row.metrics["bound_ns"] = bound.pe.ns();
  row.metrics["bound_composite_ns"] = bound.composite.ns();
  row.metrics["bound_bottleneck"] = bound.bottleneck;
}

std::string format_windows(const Row& row, bool colours) {
  const auto metric = [&row](const char* name) { return row.metrics.at(name).get<double>(); };
  const double pe_ns = row.windows.at("pe_ns").get<double>();
  const double composite_ns = row.windows.at("composite_ns").get<double>();
  const auto above = [&](double simulated, const char* bound) { return percent(simulated / metric(bound) - 1); };
  Table table({{""}, {"PE window", Align::kRight}, {"composite window", Align::kRight}});
  table.add_row({"simulated (ns)", one_decimal(pe_ns), one_decimal(composite_ns)});
  table.add_row({"closed-form bound (ns)", one_decimal(metric("bound_ns")), one_decimal(metric("bound_composite_ns"))});
  table.add_row({"above the bound", above(pe_ns, "bound_ns"), above(composite_ns, "bound_composite_ns")});
  table.add_row({"MAC utilisation", percent(metric("mac_util")), percent(metric("mac_util_composite"))});
  table.add_row({"useful efficiency", percent(metric("useful_eff")), percent(metric("useful_eff_composite"))});
  return table.format(colours);
}

std::string format_report(const Options& options, const TraceHeader& header, const Row& row,
                          const MachineSpec& machine) {
  const bool colours = colours_on(STDOUT_FILENO);
  const TileShape& tile = machine.pe.mac.tile;
  const auto metric = [&row](const char* name) { return row.metrics.at(name).get<std::int64_t>(); };
  std::string text = styled(header.title, Style::kBold, colours) + "\n" + counted(metric("tiles"), "tile") + " of " +
                     std::to_string(tile.m) + "x" + std::to_string(tile.k) + "x" + std::to_string(tile.n) + ", " +
                     options.layout + " layout, " + counted(metric("useful_macs"), "MAC") + "\n\n";
  text += format_stages(row, machine, colours) + "\n" + format_windows(row, colours) + "\n";
  text += fact("bottleneck", describe_bottleneck(row, machine));
  text += fact("bound by", row.metrics.at("bound_bottleneck").get<std::string>() + ", in an ideal pipeline");
  text += fact("HBM", grouped(metric("hbm_read_bytes")) + " B read, " + grouped(metric("hbm_written_bytes")) +
                          " B written, in bursts of " + std::to_string(machine.die.hbm.burst) + " B");
  return text + format_extras(row, options.trace.string());
}

int run(const Options& options) {
  const LoadedMachine machine = options.machine->load();
  const GemmProblem problem{.m = options.m,
                            .k = options.k,
                            .n = options.n,
                            .layout = kLayouts.parse(options.layout, "--layout"),
                            .epilogues = parse_epilogues(options.epilogue)};
  // Also refuses, before anything is started, what the machine cannot do.
  const GemmBound bound = gemm_bound(problem, find_gemm_kernel(options.variant).residency, machine.spec);
  const TraceHeader header = header_of(options, problem, machine);
  const MemoryEstimate memory = gemm_memory(machine.spec, problem, options.verify);
  Row row = simulate_isolated(options, header, memory, [&](const RunSettings& settings) {
    const RunResult result = run_gemm(machine.spec, problem, options.variant, settings);
    Row simulated = row_from_run(result, machine.spec, problem);
    simulated.point = {{"m", problem.m},           {"k", problem.k},
                       {"n", problem.n},           {"variant", options.variant},
                       {"layout", options.layout}, {"epilogue", options.epilogue}};
    simulated.metrics["hbm_bursts"] = result.engine.bursts;
    simulated.metrics["engine_wakeups"] = result.engine.wakeups;
    return simulated;
  });
  add_bound(row, bound);
  options.json.deliver([&] { return format_report(options, header, row, machine.spec); },
                       [&] { return as_results(row, "sim-gemm", machine); });
  return 0;
}

std::string variants_help() {
  std::string text = "How the operands reach the PE";
  for (const GemmKernel& kernel : gemm_kernels()) text += "\n" + kernel.name + ": " + kernel.summary;
  return text;
}

}  // namespace

std::function<int()> set_up_sim_gemm(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--m", options->m, "Rows of A and C")
      ->required()
      ->transform(whole_number(1, kLargestDimension))
      ->type_name("M");
  app.add_option("--k", options->k, "Columns of A, rows of B")
      ->required()
      ->transform(whole_number(1, kLargestDimension))
      ->type_name("K");
  app.add_option("--n", options->n, "Columns of B and C")
      ->required()
      ->transform(whole_number(1, kLargestDimension))
      ->type_name("N");
  app.add_option("--variant", options->variant, variants_help())->required()->type_name("NAME");
  app.add_option("--epilogue", options->epilogue,
                 "Vector work on every output tile: scale, bias, relu, gelu; scale@k_tile works on every K tile")
      ->type_name("OP,...");
  options->add_to(app);
  app.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench
