// `kernbench sim gemm`: one GEMM on one PE, its stages, and the closed-form bound beside it.
#include "benches/cli/sim_gemm.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "benches/cli/gpu_gemm.hpp"
#include "benches/cli/in_bursts.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/energy_row.hpp"
#include "benches/harness/results/row_from_run.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/system/gemm_over.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kSimGemmExamples = R"(Examples:
  kernbench sim gemm --m 512 --k 512 --n 512                          all variants compared
  kernbench sim gemm --m 512 --k 512 --n 512 --variant load_ref       one of them, stage by stage
  kernbench sim gemm --m 32 --k 3072 --n 32 --variant ref_ref --verify
  kernbench sim gemm --m 256 --k 256 --n 256 --variant load_load --epilogue bias,gelu
  kernbench sim gemm --m 128 --k 128 --n 128 --variant ref_ref --layout row_major --set pe.dma.outstanding_bursts=16
  kernbench sim gemm --m 128 --k 128 --n 128 --variant load_ref --trace gemm.perfetto-trace.gz
  kernbench sim gemm --m 2048 --k 2048 --n 2048 --map auto             blocks in TCM, the mapping chosen
  kernbench sim gemm --m 2048 --k 2048 --n 2048 --map 'block=512x512x512 order=mnk buffers=2'
  kernbench sim gemm --m 512 --k 512 --n 512 --dtype fp8 --set pe.mac.rates.fp8_e4m3=2
  kernbench sim gemm --m 512 --k 512 --n 512 --dtype bf16 --dtype-b int8       weights of a byte, converted
  kernbench sim gemm --m 1024 --k 1024 --n 1024 --over die            the PEs of a die together, each way they can
  kernbench sim gemm --m 1024 --k 1024 --n 1024 --over die --map 'split_k=4'
  kernbench sim gemm --m 512 --k 512 --n 512 --over die --variant ring_shift --beside all_reduce:1MiB
  kernbench sim gemm --topology topology/h200_x4.yaml --m 1024 --k 4096 --n 4096 --beside all_reduce:64MiB --channels 8
  kernbench sim gemm --m 512 --k 512 --n 512 --over 0.0.0-0.1.3 --place a=rows,b=rows,c=rows --variant owner_computes

Exit codes: 0 all well, 1 the simulation failed or computed a wrong value, 2 wrong input.)";

TraceHeader header_of(const SimGemmOptions& options, const GemmProblem& problem, const std::string& variant,
                      const LoadedMachine& machine) {
  TraceHeader header{gemm_title(problem, variant, machine),
                     {{"machine", machine.spec.name},
                      {"machine_sha256", machine.sha256},
                      {"model", kModelVersion},
                      {"shape (MxKxN)", shape_of(problem)},
                      {"variant", variant},
                      {"layout", options.layout},
                      {"dtype", std::string(name_of(problem.dtype))},
                      {"epilogue", options.epilogue.empty() ? "none" : options.epilogue}}};
  if (problem.dtype_b) header.facts.emplace_back("dtype of B", std::string(name_of(*problem.dtype_b)));
  return header;
}

void add_bound(Row& row, const GemmBound& bound) {
  row.metrics["bound_ns"] = bound.pe.ns();
  row.metrics["bound_composite_ns"] = bound.composite.ns();
  row.metrics["bound_bottleneck"] = bound.bottleneck();
}

std::string format_windows(const Row& row, const Look& look) {
  const auto metric = [&row](const char* name) { return row.metrics.at(name).get<double>(); };
  const double pe_ns = row.windows.at("pe_ns").get<double>();
  const double composite_ns = row.windows.at("composite_ns").get<double>();
  const auto above = [&](double simulated, const char* bound) { return percent(simulated / metric(bound) - 1); };
  Table table({{""}, {"PE window", Align::kRight}, {"composite window", Align::kRight}});
  table.add_row({"simulated (ns)", one_decimal(pe_ns), one_decimal(composite_ns)});
  if (row.metrics.contains("bound_ns")) {
    table.add_row(
        {"closed-form bound (ns)", one_decimal(metric("bound_ns")), one_decimal(metric("bound_composite_ns"))});
    table.add_row({"above the bound", above(pe_ns, "bound_ns"), above(composite_ns, "bound_composite_ns")});
  }
  table.add_row({"MAC utilisation", percent(metric("mac_util")), percent(metric("mac_util_composite"))});
  table.add_row({"useful efficiency", percent(metric("useful_eff")), percent(metric("useful_eff_composite"))});
  return table.format(look);
}

/// ", of int8 into int32", ", of bf16 and int8"; "" for bf16.
std::string dtypes_of(const GemmProblem& problem) {
  if (problem.dtype == Dtype::kBf16 && !problem.dtype_b) return "";
  const Dtype result = result_of(problem.dtype);
  return ", of " + std::string(name_of(problem.dtype)) +
         (problem.dtype_b ? " and " + std::string(name_of(*problem.dtype_b)) : "") +
         (result == problem.dtype ? "" : " into " + std::string(name_of(result)));
}

/// What all variants of a problem have in common.
std::string heading(const SimGemmOptions& options, const std::string& title, const GemmProblem& problem,
                    const MachineSpec& machine, const Look& look) {
  const TileShape& tile = machine.pe.mac.tile;
  const auto tiles = [](std::int64_t size, std::int64_t of) { return (size + of - 1) / of; };
  const std::int64_t count = tiles(problem.m, tile.m) * tiles(problem.k, tile.k) * tiles(problem.n, tile.n);
  return styled(title, Style::kBold, look.colours) + "\n" +
         prose(counted(count, "tile") + " of " + std::to_string(tile.m) + "x" + std::to_string(tile.k) + "x" +
                   std::to_string(tile.n) + ", " + options.layout + " layout, " +
                   counted(problem.m * problem.k * problem.n, "MAC") + dtypes_of(problem),
               look) +
         "\n";
}

/// A row a variant, the fastest marked; a machine that is too small for one says so.
std::string format_comparison(const SimGemmOptions& options, const GemmProblem& problem, const std::vector<Row>& rows,
                              const MachineSpec& machine, const std::string& title, const Look& look) {
  Table table({{"variant"},
               {"time (ns)", Align::kRight},
               {"bound (ns)", Align::kRight},
               {"above", Align::kRight},
               {"MAC util", Align::kRight},
               {"HBM read (B)", Align::kRight, 1},
               {energy_title(rows), Align::kRight},
               {"limited by", Align::kLeft, 0, true}});
  const auto time = [](const Row& row) { return row.metrics.at("time_ns").get<double>(); };
  double fastest = std::numeric_limits<double>::infinity();
  for (const Row& row : rows) fastest = row.status == "ok" ? std::min(fastest, time(row)) : fastest;
  for (const Row& row : rows) {
    const std::string variant = row.point.at("variant");
    if (row.status != "ok") {
      table.add_row({variant, "", "", "", "", "", "", {row.status + ": " + row.reason, Style::kYellow}});
      continue;
    }
    const bool bounded = row.metrics.contains("bound_ns");
    const double bound = bounded ? row.metrics.at("bound_ns").get<double>() : 0;
    table.add_row({variant,
                   {one_decimal(time(row)), time(row) == fastest ? Style::kGreen : Style::kPlain},
                   bounded ? one_decimal(bound) : "",
                   bounded ? percent(time(row) / bound - 1) : "",
                   percent(row.metrics.at("mac_util").get<double>()),
                   grouped(row.metrics.at("hbm_read_bytes").get<std::int64_t>()),
                   total_energy_text(row),
                   limit_text(row)});
  }
  const std::string missing = missing_energy_text(rows);
  return heading(options, title, problem, machine, look) + table.format(look) + "\n" +
         (why_no_bound(machine).empty() ? "" : prose(why_no_bound(machine), look)) +
         (missing.empty() ? "" : prose(missing, look)) +
         prose("--variant NAME shows one of them stage by stage.", look);
}

std::vector<std::string> variants_of(const SimGemmOptions& options) {
  std::vector<std::string> names;
  if (options.variant == "all") {
    std::vector<GemmKernel> kernels = gemm_kernels();
    const auto loaded = [](const GemmKernel& kernel) {
      return (kernel.residency.a ? 1 : 0) + (kernel.residency.b ? 1 : 0);
    };
    std::ranges::stable_sort(kernels, {}, loaded);
    for (const GemmKernel& kernel : kernels) names.push_back(kernel.name);
    return names;
  }
  names.push_back(find_gemm_kernel(options.variant).name);
  return names;
}

/// Of several variants one that does not fit the machine is a skipped row.
Row simulate_variant(const SimGemmOptions& options, const GemmProblem& problem, const std::string& variant,
                     bool one_of_several, const LoadedMachine& machine) {
  try {
    return simulate_gemm(options, problem, {variant}, machine);
  } catch (const CapacityError& error) {
    if (!one_of_several) throw;
    Row row;
    row.status = "skipped";
    row.reason = error.what();
    row.point = gemm_point(options, problem, {variant});
    return row;
  }
}

int run(const SimGemmOptions& options) {
  if (is_gpu(*options.machine)) return run_sim_gemm_gpu(options);
  refuse_options_of_gpus(options);
  if (!options.map.empty() && options.variant != "all") throw ConfigError("--map: expected no --variant beside it");
  check_over(options);
  if (!options.beside.empty() && !options.map.empty()) throw ConfigError("--map: expected no --beside with it");
  if (!options.over.empty() && !options.beside.empty()) return run_sim_gemm_beside(options);
  if (!options.beside.empty()) throw ConfigError("--beside: expected --over, the PEs that both run on");
  if (!options.ranks_per.empty())
    throw ConfigError("--ranks-per: expected --beside, the collective whose ranks these are");
  if (!options.over.empty())
    return options.map.empty() ? run_sim_gemm_over(options) : run_sim_gemm_over_mapped(options);
  if (!options.map.empty()) return run_sim_gemm_mapped(options);
  const LoadedMachine machine = options.machine->load();
  const GemmProblem problem = problem_of(options);
  const std::vector<std::string> variants = variants_of(options);
  const bool several = variants.size() > 1;
  if (several && !options.trace.empty()) {
    throw ConfigError("--trace " + options.trace.string() + ": expected one variant: name it by --variant");
  }
  std::vector<Row> rows;
  for (const std::string& variant : variants) {
    rows.push_back(simulate_variant(options, problem, variant, several, machine));
  }
  const auto is_skipped = [](const Row& row) { return row.status == "skipped"; };
  if (std::ranges::all_of(rows, is_skipped)) throw CapacityError("no variant fits: " + rows.front().reason);
  const Row& fastest = fastest_of(rows);
  const std::optional<Row> in_bursts =
      simulate_in_bursts(options, problem, {fastest.point.at("variant").get<std::string>()}, machine);
  const auto tables = [&](const Look& look) {
    const std::string title = gemm_title(problem, several ? "" : variants.front(), machine);
    return (several ? format_comparison(options, problem, rows, machine.spec, title, look)
                    : format_gemm(options, problem, rows.front(), machine.spec, title, look)) +
           format_in_bursts(fastest, in_bursts, machine.spec, look);
  };
  options.deliver(tables, as_results(rows, "sim-gemm", machine), machine,
                  gemm_title(problem, several ? "" : variants.front(), machine));
  return 0;
}

std::string variants_help() {
  std::string text = "How the operands reach the PE; all: compare them";
  for (const GemmKernel& kernel : gemm_kernels()) text += "\n" + kernel.name + ": " + kernel.summary;
  text += "\nwith --over:";
  for (const GemmOverKernel& kernel : gemm_over_kernels()) text += "\n" + kernel.name + ": " + kernel.summary;
  return text;
}

}  // namespace

GemmProblem problem_of(const SimGemmOptions& options) {
  GemmProblem problem{.m = options.m,
                      .k = options.k,
                      .n = options.n,
                      .layout = kLayouts.parse(options.layout, "--layout"),
                      .epilogues = parse_epilogues(options.epilogue),
                      .dtype = parse_dtype(options.dtype, "--dtype")};
  if (!options.dtype_b.empty()) problem.dtype_b = parse_dtype(options.dtype_b, "--dtype-b");
  try {
    check_operands(problem.dtype, problem.stored_b());
  } catch (const ConfigError& error) {
    throw ConfigError("--dtype-b " + options.dtype_b + ": " + error.what());
  }
  if (problem.dtype_b == problem.dtype) problem.dtype_b.reset();
  return problem;
}

Json gemm_point(const SimGemmOptions& options, const GemmProblem& problem, const GemmWay& way) {
  Json point{{"m", problem.m},
             {"k", problem.k},
             {"n", problem.n},
             {"variant", way.variant},
             {"layout", options.layout},
             {"epilogue", options.epilogue},
             {"dtype", name_of(problem.dtype)}};
  if (problem.dtype_b) point["dtype_b"] = name_of(*problem.dtype_b);
  if (way.mapping) point["mapping"] = to_text(*way.mapping);
  return point;
}

Row simulate_gemm(const SimGemmOptions& options, const GemmProblem& problem, const GemmWay& way,
                  const LoadedMachine& machine) {
  // The bound also refuses, before anything is started, what the machine cannot do.
  const MachineSpec spec = way.mapping ? with_tile(machine.spec, way.mapping->tile) : machine.spec;
  const GemmBound bound = way.mapping ? gemm_bound(MappedGemm(problem, *way.mapping), spec)
                                      : gemm_bound(problem, find_gemm_kernel(way.variant).residency, machine.spec);
  const TraceHeader header = header_of(options, problem, way.variant, machine);
  const MemoryEstimate memory = way.mapping ? gemm_memory(spec, MappedGemm(problem, *way.mapping), options.verify)
                                            : gemm_memory(machine.spec, problem, options.verify);
  Row row = simulate_isolated(options, header, memory, [&](RunSettings settings) {
    settings.fast_forward = !options.no_fast_forward;
    const RunResult result = way.mapping ? run_gemm(machine.spec, problem, *way.mapping, settings)
                                         : run_gemm(machine.spec, problem, way.variant, settings);
    Row simulated = row_from_run(result, spec, problem);
    simulated.metrics["hbm_bursts"] = result.engine.bursts;
    if (result.hbm_busy_ns) simulated.metrics["hbm_busy_ns"] = *result.hbm_busy_ns;
    simulated.metrics["engine_wakeups"] = result.engine.wakeups;
    simulated.metrics["tiles_passed_over"] = result.tiles_passed_over;
    if (way.mapping)
      simulated.metrics.update({{"steps", result.steps}, {"steps_passed_over", result.steps_passed_over}});
    return simulated;
  });
  if (why_no_bound(machine.spec).empty()) add_bound(row, bound);
  row.point = gemm_point(options, problem, way);
  return row;
}

std::string format_gemm(const SimGemmOptions& options, const GemmProblem& problem, const Row& row,
                        const MachineSpec& machine, const std::string& title, const Look& look) {
  const auto metric = [&row](const char* name) { return row.metrics.at(name).get<std::int64_t>(); };
  std::string text = heading(options, title, problem, machine, look);
  text += format_stages(row, machine, look) + "\n" + format_windows(row, look) + "\n";
  text += format_limit(row, machine, look);
  const std::string no_bound = why_no_bound(machine);
  text += fact(
      "bound by",
      no_bound.empty() ? row.metrics.at("bound_bottleneck").get<std::string>() + ", in an ideal pipeline" : no_bound,
      look);
  text += fact("HBM",
               grouped(metric("hbm_read_bytes")) + " B read, " + grouped(metric("hbm_written_bytes")) +
                   " B written, in bursts of " + std::to_string(machine.die.hbm.burst) + " B",
               look);
  if (const std::int64_t passed = metric("tiles_passed_over"); passed > 0) {
    const auto of = [&](std::int64_t part, const char* all) { return grouped(part) + " of " + grouped(metric(all)); };
    const std::int64_t steps = row.metrics.value("steps_passed_over", std::int64_t{0});
    text += fact("repeated",
                 of(passed, "tiles") + " tiles" + (steps > 0 ? ", in " + of(steps, "steps") + " steps," : "") +
                     " repeat others and were counted, which comes to the same (--no-fast-forward simulates them)",
                 look);
  }
  return text + format_extras(row, options.trace.string(), look);
}

void check_over(const SimGemmOptions& options) {
  if (options.over.empty() && !options.placement.empty()) {
    throw ConfigError("--place: expected --over, the PEs that the matrices are placed on");
  }
  if (!options.over.empty() && parse_dtype(options.dtype, "--dtype") != Dtype::kBf16) {
    throw ConfigError("--dtype " + options.dtype + ": expected bf16, which PEs send each other, with --over");
  }
  if (!options.over.empty() && !options.dtype_b.empty()) {
    throw ConfigError("--dtype-b " + options.dtype_b + ": expected one PE: with --over A and B are bf16");
  }
}

void add_over(CommandSpec& command, SimGemmOptions& options) {
  command
      .add_option("--over", options.over,
                  "Several PEs do it together: of a die, a package, the system, or by number: package.die.pe, with "
                  "commas and ranges")
      .type_name("die|package|system|P.D.E[-P.D.E],...");
  command
      .add_option(
          "--place", options.placement,
          "Where the matrices lie: replicate, rows, columns or blocks of tiles over the PEs' partitions [with the "
          "least bound of those that the variant can have]")
      .type_name("a=POLICY,b=...,c=...");
}

void add_gemm_shape(CommandSpec& command, SimGemmOptions& options) {
  add_gpu_options(command, options);
  command.add_option("--m", options.m, "Rows of A and C")
      .required()
      .rule(whole_number(1, kLargestDimension))
      .type_name("M");
  command.add_option("--k", options.k, "Columns of A, rows of B")
      .required()
      .rule(whole_number(1, kLargestDimension))
      .type_name("K");
  command.add_option("--n", options.n, "Columns of B and C")
      .required()
      .rule(whole_number(1, kLargestDimension))
      .type_name("N");
  std::string names;
  for (const std::string_view name : kOperandDtypes.all()) names += (names.empty() ? "" : "|") + std::string(name);
  command
      .add_option(
          "--dtype", options.dtype,
          "Of A and B; C is bf16 of fp8, int32 of int8, fp32 of tf32, else as they are; the machine's MAC array "
          "needs a rate for it, pe.mac.rates")
      .type_name(names)
      .show_default();
  command
      .add_option("--dtype-b", options.dtype_b,
                  "Of B alone, of fewer bytes than that of A: weights that the vector unit converts to the dtype of A, "
                  "tile by tile, for the array [as A]")
      .type_name(names);
}

std::function<int()> sim_gemm_command::set_up(CommandSpec& command) {
  auto options = std::make_shared<SimGemmOptions>();
  add_gemm_shape(command, *options);
  command.add_option("--variant", options->variant, variants_help()).type_name("NAME").show_default();
  command
      .add_option("--map", options->map,
                  "How it is laid over the array and TCM, instead of a variant: auto, or any of tile=MxKxN block=MxKxN "
                  "order=mnk|... buffers=1..4 stream=none|a|b|ab sums=fp32|bf16|fp32@hbm|bf16@hbm (of int8: "
                  "int32, of fp16 also fp16), with --over split_k=N; the rest is chosen")
      .type_name("MAPPING");
  command
      .add_option("--epilogue", options->epilogue,
                  "Vector work on every output tile: scale, bias, relu, gelu, silu; scale@k_tile works on every K tile")
      .type_name("OP,...");
  add_over(command, *options);
  command
      .add_option(
          "--beside", options->beside,
          "A collective between the same PEs at the same time: each alone, both together, and what they wait for")
      .type_name("COLLECTIVE:SIZE[:ALGORITHM]");
  command
      .add_option("--ranks-per", options->ranks_per,
                  "What a rank of that collective is: pe, or all PEs of a die or a package [pe]")
      .type_name("UNIT");
  command.add_flag("--no-fast-forward", options->no_fast_forward,
                   "Simulate every tile of every PE; without it, tiles that repeat others are counted, and so are PEs "
                   "that do what another one does, with the same results; with --trace or --verify none are");
  options->add_to(command);
  command.footer(kSimGemmExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench
