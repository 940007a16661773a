// `kernbench sim gemm --over --beside`: a GEMM and a collective on the same PEs, each alone and both together.
#include <algorithm>
#include <array>

#include "benches/cli/sim_gemm.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/harness/collective/collective_case.hpp"
#include "benches/harness/collective/pe_set.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/system/beside.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kUsual = "owner_computes";  // where --variant says nothing

struct Case {
  BesideRun which;
  const char* name;
};
constexpr std::array kCases{Case{BesideRun::kGemm, "gemm"}, Case{BesideRun::kCollective, "collective"},
                            Case{BesideRun::kBoth, "both"}};

CollectiveCase parse_collective(const std::string& text) {
  const std::vector<std::string> parts = split(text, ":");
  if (parts.size() < 2 || parts.size() > 3) {
    throw ConfigError("--beside " + in_quotes(text) +
                      ": expected COLLECTIVE:SIZE or COLLECTIVE:SIZE:ALGORITHM, e.g. all_reduce:1MiB");
  }
  CollectiveCase asked;
  asked.collective = kCollectives.parse(parts[0], "--beside");
  asked.bytes = option_quantity("--beside", parts[1], Dimension::kBytes);
  asked.algorithm = find_collective_algorithm(parts.size() == 3 ? parts[2] : "ring").name;
  return asked;
}

MachinePart part_of(const SimGemmOptions& options, const MachineSpec& machine) {
  const RanksPer per = options.ranks_per.empty() ? RanksPer::kPe : kRanksPer.parse(options.ranks_per, "--ranks-per");
  if (auto part = part_by_scale(machine, options.over, per)) return *part;
  throw ConfigError("--over " + in_quotes(options.over) + " with --beside: expected die, package or system");
}

Row row_of(const BesideResult& run) {
  Row row;
  row.metrics["time_ns"] = std::max(run.gemm, run.collective).ns();
  row.metrics["gemm_ns"] = run.gemm.ns();
  row.metrics["collective_ns"] = run.collective.ns();
  row.metrics["engine_wakeups"] = run.engine.wakeups;
  for (const UnitWork& unit : run.units) {
    row.stages.push_back({unit.unit, "busiest PE", unit.work.ns(), unit.work.ns(), 1, 0, 0});
  }
  row.stages.push_back(
      {"busiest link", run.busiest_link.name, run.busiest_link.time.ns(), run.busiest_link.time.ns(), 1, 0, 0});
  return row;
}

double metric(const Row& row, const char* name) { return row.metrics.at(name).get<double>(); }

std::string format_times(const std::vector<Row>& rows, const Look& look) {
  Table table({{""}, {"alone (ns)", Align::kRight}, {"together (ns)", Align::kRight}, {"longer by", Align::kRight}});
  const auto add = [&](const char* name, double alone, double together) {
    const std::string longer = alone > 0 ? percent(together / alone - 1) : "-";  // one rank sends nothing
    table.add_row({name, one_decimal(alone), one_decimal(together), longer});
  };
  const double gemm = metric(rows[0], "gemm_ns");
  const double collective = metric(rows[1], "collective_ns");
  add("gemm", gemm, metric(rows[2], "gemm_ns"));
  add("collective", collective, metric(rows[2], "collective_ns"));
  const double together = metric(rows[2], "time_ns");
  std::string text = table.format(look) + "\n";
  const double hidden = gemm + collective - together;
  text += fact("both",
               one_decimal(together) + " ns together, " + one_decimal(gemm + collective) + " ns one after the other: " +
                   (hidden > 0 ? percent(hidden / std::min(gemm, collective)) + " of the shorter one is hidden"
                               : std::string("nothing is hidden")),
               look);
  return text;
}

/// How long each unit is at work in the PE where that is longest: where both want one for long, they wait for each
/// other.
std::string format_units(const std::vector<Row>& rows, const Look& look) {
  Table table({{"at work"},
               {"gemm (ns)", Align::kRight},
               {"collective (ns)", Align::kRight},
               {"together (ns)", Align::kRight},
               {"of the time", Align::kRight}});
  const double time = metric(rows[2], "time_ns");
  for (std::size_t i = 0; i < rows[2].stages.size(); ++i) {
    const auto work = [&](std::size_t row) { return rows[row].stages.at(i).wall_ns; };
    const bool both = work(0) > 0.05 * time && work(1) > 0.05 * time;
    table.add_row({{rows[2].stages[i].stage, both ? Style::kYellow : Style::kPlain},
                   one_decimal(work(0)),
                   one_decimal(work(1)),
                   one_decimal(work(2)),
                   percent(work(2) / time)});
  }
  std::string shared;
  for (std::size_t i = 0; i < rows[2].stages.size(); ++i) {
    const double least = std::min(rows[0].stages.at(i).wall_ns, rows[1].stages.at(i).wall_ns);
    if (least > 0.05 * time) shared += (shared.empty() ? "" : ", ") + rows[2].stages[i].stage;
  }
  return table.format(look) + "\n" +
         fact("wait for", shared.empty() ? "no unit that both keep busy for long" : "each other at " + shared, look);
}

}  // namespace

int run_sim_gemm_beside(const SimGemmOptions& options) {
  const LoadedMachine machine = options.machine->load();
  const MachinePart part = part_of(options, machine.spec);
  warn_of_buffers(part.machine);
  CollectiveCase collective = parse_collective(options.beside);
  collective.chunk = usual_chunk(collective, part.machine);
  const CollectiveLanes lanes = lanes_of(collective, part);
  const GemmOverKernel& kernel = find_gemm_over_kernel(options.variant == "all" ? kUsual : options.variant);
  const GemmPlacement placement = parse_placement(options.placement, kernel.placement);
  const GemmProblem problem{.m = options.m,
                            .k = options.k,
                            .n = options.n,
                            .layout = kLayouts.parse(options.layout, "--layout"),
                            .epilogues = parse_epilogues(options.epilogue)};
  const auto pes = static_cast<int>(part.pes());
  MemoryEstimate memory = memory_of(collective, part, options.verify);
  memory.add(gemm_over_memory(part.machine, place_on(part.machine, problem, placement, kernel, pes), options.verify));
  const std::string between =
      part.pes_of_rank > 1 ? " between " + counted(part.grid.size(), "rank") + " of " + counted(part.pes_of_rank, "PE")
                           : "";
  const std::string title = "gemm " + std::to_string(problem.m) + "x" + std::to_string(problem.k) + "x" +
                            std::to_string(problem.n) + " " + kernel.name + " beside " + options.beside + between +
                            " over " + counted(pes, "PE") + " of " + machine.spec.name;
  const TraceHeader header{
      title, {{"machine", machine.spec.name}, {"machine_sha256", machine.sha256}, {"model", kModelVersion}}};
  std::vector<Row> rows;
  for (const Case& of : kCases) {
    SimOptions run = options;
    if (of.which != BesideRun::kBoth) run.trace.clear();  // a trace is of both together
    Row row = simulate_isolated(run, header, memory, [&](const RunSettings& settings) {
      return row_of(run_beside(part.machine, problem, placement, kernel.name, lanes, of.which, settings));
    });
    row.point = {{"run", of.name},
                 {"m", problem.m},
                 {"k", problem.k},
                 {"n", problem.n},
                 {"variant", kernel.name},
                 {"over", options.over},
                 {"placement", to_text(placement)},
                 {"beside", options.beside}};
    if (part.pes_of_rank > 1) row.point["ranks_per"] = options.ranks_per;
    rows.push_back(std::move(row));
  }
  const auto tables = [&](const Look& look) {
    return styled(title, Style::kBold, look.colours) + "\n" + format_times(rows, look) + "\n" +
           format_units(rows, look) + format_extras(rows.back(), options.trace.string(), look);
  };
  options.output.deliver(tables, results_documents([&] { return as_results(rows, "sim-gemm-beside", machine); }));
  return 0;
}

}  // namespace kernbench
