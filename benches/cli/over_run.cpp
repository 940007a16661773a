#include "benches/cli/over_run.hpp"

#include "benches/cli/over_rows.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/harness/results/row_from_over.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
Row simulate_over(const OverAsked& asked, const OverWay& way) {
  GemmOverRequest request = asked.request(way.variant);
  request.placement = way.plan.placement;
  request.mapping = way.mapping;
  const TraceHeader header{asked.title() + " " + way.variant,
                           {{"machine", asked.machine.spec.name},
                            {"machine_sha256", asked.machine.sha256},
                            {"model", kModelVersion},
                            {"variant", way.variant},
                            {"placement", to_text(request.placement)}}};
  const SimGemmOptions& options = asked.options;
  const bool apart = way.plan.apart && !options.verify && options.trace.empty() && !options.no_fast_forward;
  const MemoryEstimate memory =
      gemm_over_memory(asked.over.machine, asked.problem, asked.pes(), way.plan.bytes_of_pe, options.verify, apart);
  Row row = simulate_isolated(asked.options, header, memory, [&](RunSettings settings) {
    settings.fast_forward = !asked.options.no_fast_forward;
    return row_of_gemm_over(run_gemm_over(asked.over.machine, request, settings), asked.problem, asked.machine.spec);
  });
  add_plan(way.plan, asked.over.machine, row);
  return row;
}

std::string OverAsked::title() const {
  return "gemm, M x K x N = " + std::to_string(problem.m) + " x " + std::to_string(problem.k) + " x " +
         std::to_string(problem.n) + what_else(problem) + ", over " + counted(pes(), "PE") + " of " + machine.spec.name;
}

OverAsked over_asked(const SimGemmOptions& options) {
  LoadedMachine machine = options.machine->load();
  PeSet over = parse_pes("--over", options.over, machine.spec);
  return {options,
          std::move(machine),
          std::move(over),
          {.m = options.m,
           .k = options.k,
           .n = options.n,
           .layout = kLayouts.parse(options.layout, "--layout"),
           .epilogues = parse_epilogues(options.epilogue)}};
}

Json over_point(const SimGemmOptions& options, const GemmProblem& problem, const OverWay& way) {
  Json point{{"m", problem.m},           {"k", problem.k},
             {"n", problem.n},           {"variant", way.variant},
             {"over", options.over},     {"placement", to_text(way.plan.placement)},
             {"layout", options.layout}, {"epilogue", options.epilogue}};
  if (way.mapping) point["mapping"] = to_text(*way.mapping);
  return point;
}

std::string format_over_run(const OverAsked& asked, const Row& row, const Look& look) {
  std::string text = format_pes(row, look) + "\n" + format_ledgers(row, asked.over.machine, look);
  text += fact("placement", describe_placement(row), look);
  text += format_over_facts(row, look);
  text += format_repeated(row, "--no-fast-forward", look);
  return text + format_extras(row, asked.options.trace.string(), look);
}

}  // namespace kernbench
