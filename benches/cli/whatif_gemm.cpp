// `kernbench whatif gemm`: one GEMM on one PE; of a GPU whatif_gemm_gpu.cpp.
#include "benches/cli/whatif_gemm.hpp"

#include <memory>

#include "benches/cli/gpu_gemm.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/row_from_run.hpp"
#include "benches/harness/run/mapping_choice.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/machine/schema.hpp"
#include "sim/plan/mapping_search.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench::whatif_gemm_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench whatif gemm --m 512 --k 512 --n 512 --variant ref_ref
  kernbench whatif gemm --m 512 --k 512 --n 512 --map auto --topology topology/edge_npu.yaml
  kernbench whatif gemm --m 512 --k 512 --n 512 --variant ref_ref --out out/whatif
  kernbench whatif gemm --m 4096 --k 4096 --n 4096 --topology topology/h200.yaml --state steady

A variant stays as it is on every machine; what a mapping would gain costs nothing, and is said first. A mapping is chosen
anew on every machine, unless --keep-mapping holds it. Of a GPU the library chooses its kernel anew, but with --map.)";

Row simulate(const MachineSpec& machine, const GemmProblem& problem, const GemmWay& way) {
  const RunResult run =
      way.mapping ? run_gemm(machine, problem, *way.mapping) : run_gemm(machine, problem, way.variant);
  Row row = row_from_run(run, way.mapping ? with_tile(machine, way.mapping->tile) : machine, problem);
  if (run.hbm_busy_ns) row.metrics["hbm_busy_ns"] = *run.hbm_busy_ns;
  return row;
}

/// By the mapping of the machine as it is, or by that which ranks first on this one, where that is faster (35.5). Two
/// simulations, not as many as `--map auto` takes: there are hundreds of machines.
Row simulate_anew(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& kept,
                  const MappingRequest& request) {
  std::vector<Row> rows;
  const auto add = [&](const GemmMapping& mapping) {
    renew_systemc();
    rows.push_back(simulate(machine, problem, {"mapped", mapping}));
    rows.back().metrics["mapping"] = to_text(mapping);
  };
  const GemmMapping first = search_mappings(problem, machine, request, 1).best.front().mapping;
  try {
    add(kept);
  } catch (const CapacityError&) {
    rows.clear();  // it does not fit on this machine
  }
  if (rows.empty() || first != kept) add(first);
  renew_systemc();  // for who simulates next
  const bool is_faster = number(rows.front(), "time_ns") > kAsFast * number(rows.back(), "time_ns");
  return is_faster ? rows.back() : rows.front();
}

int run(const WhatIfGemmOptions& options) {
  if (is_gpu(*options.machine)) return run_whatif_gemm_gpu(options);
  refuse_options_of_gpus(options);
  if (!options.map.empty() && !options.variant.empty()) throw ConfigError("--map: expected no --variant beside it");
  const bool mapped = options.variant.empty();
  if (options.keep_mapping && !mapped) throw ConfigError("--keep-mapping: expected no --variant, which stays anyway");
  if (!mapped) static_cast<void>(find_gemm_kernel(options.variant));
  const LoadedMachine machine = options.machine->load();
  const GemmProblem problem = problem_of(options);
  const MappingRequest request = parse_mapping(options.map.empty() ? "auto" : options.map, "--map");
  GemmWay way{options.variant};
  WhatIfReport report;
  if (mapped) {
    const SimulatedMapping best = choose_gemm_mapping(options, problem, machine, request).chosen();
    way = {"mapped", best.ranked.mapping};
    report.mapping = to_text(best.ranked.mapping) + (options.keep_mapping ? "" : ", and on every machine its own");
  } else {
    // First, so that what does not fit is told of the variant that was asked for.
    static_cast<void>(simulate_gemm(options, problem, way, machine));
    const MappingChoice choice = choose_gemm_mapping(options, problem, machine, request);
    const SimulatedMapping& best = choice.simulated.front();
    report.free = FreeChange{to_text(best.ranked.mapping), best.row};
    report.mappings = choice.simulated.size();
  }
  report.title = gemm_title(problem, mapped ? "mapped" : options.variant, machine);
  Evaluator evaluator("whatif", options.child, options.what_if.cache);
  const bool anew = mapped && !options.keep_mapping;
  Json workload{{"gemm", gemm_point(options, problem, way)}};
  if (anew) workload["map"] = options.map.empty() ? "auto" : options.map;
  const Evaluate evaluate = [&](const std::vector<MachineSpec>& machines) {
    std::vector<Evaluation> evaluations;
    for (const MachineSpec& one : machines) {
      Evaluation& evaluation = evaluations.emplace_back();
      evaluation.simulate = [&] {
        return anew ? simulate_anew(one, problem, *way.mapping, request) : simulate(one, problem, way);
      };
      evaluation.identity = [&] { return WorkloadOnMachine{"gemm", workload, machine_sha256(one)}; };
      evaluation.memory = {report.title, gemm_memory(one, problem, false), "a smaller problem"};
    }
    return evaluator(evaluations);
  };
  const WhatIfQuestion question{"gemm", words_of(options), *options.machine, machine, evaluate, evaluator};
  return answer_what_if(report, question, options.what_if, options.output);
}

}  // namespace
}  // namespace kernbench::whatif_gemm_command

namespace kernbench {

std::vector<std::string> words_of(const WhatIfGemmOptions& options) {
  std::vector<std::string> words{"gemm"};
  const auto add = [&words](const char* option, const std::string& value, const std::string& usual = "") {
    if (value != usual) words.insert(words.end(), {option, value});
  };
  add("--m", std::to_string(options.m));
  add("--k", std::to_string(options.k));
  add("--n", std::to_string(options.n));
  add("--dtype", options.dtype, "bf16");
  add("--dtype-b", options.dtype_b);
  add("--l2", options.l2, "warm");
  add("--state", options.state);
  add("--variant", options.variant);
  add("--map", options.map);
  if (options.keep_mapping) words.emplace_back("--keep-mapping");
  return words;
}

std::function<int()> whatif_gemm_command::set_up(CommandSpec& command) {
  auto options = std::make_shared<WhatIfGemmOptions>();
  options->variant = "";
  add_gemm_shape(command, *options);
  command.add_option("--variant", options->variant, "A variant, as of sim gemm").type_name("NAME");
  command
      .add_option("--map", options->map,
                  "A mapping, or what of it is not left to be chosen, as of sim gemm [auto]; of a GPU a kernel, which "
                  "then is that of every machine")
      .type_name("MAPPING");
  command.add_flag("--keep-mapping", options->keep_mapping,
                   "The mapping of the machine as it is on every machine, too");
  options->what_if.add_to(command, options->machine, options->child, options->output);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench
