// `kernbench sim gemm --over`: one GEMM on several PEs together, each way they can do it, and the bounds beside.
#include <algorithm>
#include <limits>

#include "benches/cli/over_plans.hpp"
#include "benches/cli/over_rows.hpp"
#include "benches/cli/sim_gemm.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/harness/collective/pe_set.hpp"
#include "benches/harness/results/row_from_run.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/errors.hpp"
#include "sim/system/gemm_over.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

struct Asked {
  const SimGemmOptions& options;
  LoadedMachine machine;
  PeSet over;
  GemmProblem problem;

  [[nodiscard]] int pes() const { return static_cast<int>(over.pes.size()); }
  [[nodiscard]] GemmOverRequest request(const std::string& variant) const {
    return {.problem = problem, .kernel = variant, .pes = over.pes};
  }
  [[nodiscard]] std::string title() const {
    return "gemm, M x K x N = " + std::to_string(problem.m) + " x " + std::to_string(problem.k) + " x " +
           std::to_string(problem.n) + ", over " + counted(pes(), "PE") + " of " + machine.spec.name;
  }
};

std::vector<std::string> variants_of(const SimGemmOptions& options) {
  if (options.variant != "all") return {find_gemm_over_kernel(options.variant).name};
  std::vector<std::string> names;
  for (const GemmOverKernel& kernel : gemm_over_kernels()) names.push_back(kernel.name);
  return names;
}

Row row_of(const Asked& asked, const OverResult& run) {
  Row row = row_of_over(run);
  row.metrics["useful_eff"] = useful_efficiency(asked.problem.macs(), asked.machine.spec.pe, run.time, asked.pes());
  row.metrics["useful_macs"] = asked.problem.macs();
  row.metrics["tflops"] = 2.0 * static_cast<double>(asked.problem.macs()) / static_cast<double>(run.time.value);
  return row;
}

Row simulate(const Asked& asked, const OverWay& way) {
  GemmOverRequest request = asked.request(way.variant);
  request.placement = way.plan.placement;
  const TraceHeader header{asked.title() + " " + way.variant,
                           {{"machine", asked.machine.spec.name},
                            {"machine_sha256", asked.machine.sha256},
                            {"model", kModelVersion},
                            {"variant", way.variant},
                            {"placement", to_text(request.placement)}}};
  const MemoryEstimate memory = gemm_over_memory(asked.over.machine, way.plan.bytes_of_pe, asked.options.verify);
  Row row = simulate_isolated(asked.options, header, memory, [&](const RunSettings& settings) {
    return row_of(asked, run_gemm_over(asked.over.machine, request, settings));
  });
  add_plan(way.plan, asked.over.machine, row);
  return row;
}

/// One that the machine cannot do is a skipped row where it is one of several.
Row row_of_way(const Asked& asked, const OverWay& way, bool one_of_several) {
  Row row;
  try {
    if (!way.refused.empty()) throw ConfigError(way.refused);
    row = simulate(asked, way);
  } catch (const ConfigError& error) {
    if (!one_of_several) throw;
    row.status = "skipped";
    row.reason = error.what();
  }
  row.point = {{"m", asked.problem.m},           {"k", asked.problem.k},
               {"n", asked.problem.n},           {"variant", way.variant},
               {"over", asked.options.over},     {"placement", to_text(way.plan.placement)},
               {"layout", asked.options.layout}, {"epilogue", asked.options.epilogue}};
  return row;
}

/// A link has a long name: the line below says which.
std::string kind_of(const std::string& resource) {
  return resource.find(" -> ") == std::string::npos ? resource : "link";
}

std::string format_comparison(const std::vector<Row>& rows, const Look& look) {
  Table table({{"variant"},
               {"time (ns)", Align::kRight},
               {"bound (ns)", Align::kRight},
               {"above", Align::kRight},
               {"bound by"},
               {"MAC util", Align::kRight},
               {"work imbalance", Align::kRight, 1},
               {"network (B)", Align::kRight, 2},
               {"busiest link", Align::kRight}});
  double fastest = std::numeric_limits<double>::infinity();
  const auto time = [](const Row& row) { return row.metrics.at("time_ns").get<double>(); };
  for (const Row& row : rows) fastest = row.status == "ok" ? std::min(fastest, time(row)) : fastest;
  for (const Row& row : rows) {
    const std::string variant = row.point.at("variant");
    if (row.status != "ok") {
      table.add_row({variant, "", "", "", {row.status, Style::kYellow}, "", "", "", ""});
      continue;
    }
    const bool bounded = row.metrics.contains("bound_ns");
    const double bound = bounded ? row.metrics.at("bound_ns").get<double>() : 0;
    table.add_row({variant,
                   {one_decimal(time(row)), time(row) == fastest ? Style::kGreen : Style::kPlain},
                   bounded ? one_decimal(bound) : "",
                   bounded ? percent(time(row) / bound - 1) : "",
                   bounded ? kind_of(row.metrics.at("bound_bottleneck").get<std::string>()) : "",
                   percent(row.metrics.at("mac_util").get<double>()),
                   percent(row.metrics.at("work_imbalance").get<double>()),
                   grouped(row.metrics.at("network_bytes").get<std::int64_t>()),
                   percent(row.metrics.at("busiest_link_util").get<double>())});
  }
  return table.format(look);
}

/// A line a way.
std::string format_ways(const std::vector<Row>& rows, const Look& look) {
  std::size_t width = 0;
  const auto name = [](const Row& row) { return row.point.at("variant").get<std::string>(); };
  for (const Row& row : rows) width = std::max(width, name(row).size());
  std::string text;
  for (const Row& row : rows) {
    const std::string first = name(row) + std::string(width + 2 - name(row).size(), ' ');
    text += hanging(first, row.status == "ok" ? describe_placement(row) : row.reason, look.width);
  }
  return text;
}

std::string format_one(const Asked& asked, const Row& row, const Look& look) {
  std::string text = format_comparison({row}, look) + "\n" + format_pes(row, look) + "\n";
  text += format_ledgers(row, asked.over.machine, look);
  text += fact("placement", describe_placement(row), look);
  text += format_over_facts(row, look);
  return text + format_extras(row, asked.options.trace.string(), look);
}

}  // namespace

int run_sim_gemm_over(const SimGemmOptions& options) {
  LoadedMachine machine = options.machine->load();
  PeSet over = parse_pes("--over", options.over, machine.spec);
  const Asked asked{options,
                    machine,
                    over,
                    {.m = options.m,
                     .k = options.k,
                     .n = options.n,
                     .layout = kLayouts.parse(options.layout, "--layout"),
                     .epilogues = parse_epilogues(options.epilogue)}};
  warn_of_buffers(over.machine);
  const std::vector<std::string> variants = variants_of(options);
  const bool several = variants.size() > 1;
  if (several && !options.trace.empty()) {
    throw ConfigError("--trace " + options.trace.string() + ": expected one variant: name it by --variant");
  }
  const OverWays planned =
      plan_ways(options.child, over.machine, variants, [&](const NetworkPlan& plan, const std::string& variant) {
        return choose_placement(over.machine, plan, asked.request(variant), options.placement);
      });
  if (std::ranges::none_of(planned.ways, [](const OverWay& way) { return way.refused.empty(); })) {
    throw ConfigError((several ? "no variant can do it: " : "") + planned.ways.front().refused);
  }
  print_notes(planned.notes);
  std::vector<Row> rows;
  for (const OverWay& way : planned.ways) rows.push_back(row_of_way(asked, way, several));
  const auto tables = [&](const Look& look) {
    const std::string heading = styled(asked.title(), Style::kBold, look.colours) + "\n";
    return several ? heading + format_comparison(rows, look) + "\n" + format_ways(rows, look) + "\n" +
                         prose(
                             "Placements have the least bound of those that a variant can have; --place narrows them. "
                             "--variant NAME shows one PE by PE.",
                             look)
                   : heading + format_one(asked, rows.front(), look);
  };
  options.output.deliver(tables, results_documents([&] { return as_results(rows, "sim-gemm-over", machine); }));
  return 0;
}

}  // namespace kernbench
