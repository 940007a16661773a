// `kernbench sim gemm --over --beside`: a GEMM and a collective on the same PEs, each alone and both together.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "benches/cli/over_plans.hpp"
#include "benches/cli/over_rows.hpp"
#include "benches/cli/over_run.hpp"
#include "benches/cli/sim_gemm.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/harness/collective/collective_case.hpp"
#include "benches/harness/collective/pe_set.hpp"
#include "benches/harness/results/limit.hpp"
#include "benches/harness/results/row_from_over.hpp"
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

struct BesideCase {
  BesideRun which;
  const char* name;
};
constexpr std::array kCases{BesideCase{BesideRun::kGemm, "gemm"}, BesideCase{BesideRun::kCollective, "collective"},
                            BesideCase{BesideRun::kBoth, "both"}};

CollectiveCase parse_collective(const std::string& text) {
  const std::vector<std::string> parts = split(text, ":");
  if (parts.size() < 2 || parts.size() > 3) {
    throw ConfigError("--beside " + in_quotes(text) +
                      ": expected COLLECTIVE:SIZE or COLLECTIVE:SIZE:ALGORITHM, e.g. all_reduce:1MiB");
  }
  CollectiveCase asked;
  asked.collective = kCollectives.parse(parts[0], "--beside");
  asked.bytes = option_quantity("--beside", parts[1], Dimension::kBytes);
  (void)whole_elements(asked.bytes, "--beside");
  asked.algorithm = find_collective_algorithm(parts.size() == 3 ? parts[2] : "ring", "--beside").name;
  return asked;
}

MachinePart part_of(const SimGemmOptions& options, const MachineSpec& machine) {
  const RanksPer per = options.ranks_per.empty() ? RanksPer::kPe : kRanksPer.parse(options.ranks_per, "--ranks-per");
  if (auto part = part_by_scale(machine, options.over, per)) return *part;
  throw ConfigError("--over " + in_quotes(options.over) + " with --beside: expected die, package or system");
}

// What the report compares, and results leave out: the time of every link.
constexpr const char* kLinks = "links";

constexpr const char* kAfter = "collective_after_ns";

/// The bound of what the run does: both take at least what each takes alone.
void add_bound(BesideRun which, const GemmOverPlan& plan, const CollectiveBound& collective, const MachineSpec& machine,
               Row& row) {
  if (which != BesideRun::kCollective) add_plan(plan, machine, row);
  if (which == BesideRun::kGemm || collective.time.ns() < row.metrics.value("bound_ns", 0.0)) return;
  row.metrics["bound_ns"] = collective.time.ns();
  row.metrics["bound_bottleneck"] = collective.resource;
}

Row row_of(const BesideResult& run) {
  Row row;
  row.metrics["time_ns"] = std::max(run.gemm, run.collective).ns();
  row.metrics["gemm_ns"] = run.gemm.ns();
  row.metrics["collective_ns"] = run.collective.ns();
  // The ledger is of the GEMM: what is left of the time is the collective's alone.
  if (!run.gemm_pes.empty() && run.collective > run.gemm) {
    row.metrics[kAfter] = (run.collective - run.gemm).ns();
  }
  row.metrics["buffers_in_hbm"] = run.in_hbm;
  row.metrics["engine_wakeups"] = run.engine.wakeups;
  for (const UnitWork& unit : run.units) {
    row.stages.push_back({unit.unit, "busiest PE", unit.work.ns(), unit.work.ns(), 1, 0, 0});
  }
  const NetworkLinkWork link = busiest(run.links);
  row.metrics["busiest_link"] = link.name;
  row.metrics["busiest_link_ns"] = link.time.ns();
  Json links = Json::array();
  for (const NetworkLinkWork& of : run.links) links.push_back(of.time.ns());
  row.metrics[kLinks] = links.dump();
  add_ledgers(row, run.gemm_pes);
  return row;
}

std::string format_times(const std::vector<Row>& rows, const Look& look) {
  Table table({{""}, {"alone (ns)", Align::kRight}, {"together (ns)", Align::kRight}, {"longer by", Align::kRight}});
  const auto add = [&](const char* name, double alone, double together) {
    const std::string longer = alone > 0 ? percent(together / alone - 1) : "-";  // one rank sends nothing
    table.add_row({name, one_decimal(alone), one_decimal(together), longer});
  };
  const double gemm = number(rows[0], "gemm_ns");
  const double collective = number(rows[1], "collective_ns");
  add("gemm", gemm, number(rows[2], "gemm_ns"));
  add("collective", collective, number(rows[2], "collective_ns"));
  const double together = number(rows[2], "time_ns");
  std::string text = table.format(look) + "\n";
  const double after = rows[2].metrics.value(kAfter, 0.0);
  const double hidden = gemm + collective - together;
  text += fact("both",
               one_decimal(together) + " ns together, " + one_decimal(gemm + collective) + " ns one after the other: " +
                   (hidden > 0 ? percent(hidden / std::min(gemm, collective)) + " of the shorter one is hidden"
                               : std::string("nothing is hidden")),
               look);
  if (after > 0) text += fact("after it", "the collective goes on for " + one_decimal(after) + " ns alone", look);
  return text;
}

/// Of something that both may want: how long it works for each alone.
struct Shared {
  std::string name;
  double gemm = 0;        ///< ns
  double collective = 0;  ///< ns
  [[nodiscard]] double both() const { return std::min(gemm, collective); }
};

/// The link that both use most, ports included, by the one that uses it less.
Shared shared_link(const std::vector<Row>& rows, const std::vector<std::string>& names) {
  Shared most;
  const auto links_of = [](const Row& row) { return Json::parse(row.metrics.at(kLinks).get<std::string>()); };
  const Json gemm = links_of(rows[0]);
  const Json collective = links_of(rows[1]);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Shared link{names[i], gemm.at(i).get<double>(), collective.at(i).get<double>()};
    if (link.both() > most.both()) most = link;
  }
  return most;
}

/// Of whose time a share is: of the one that is over first by itself.
double shorter(const std::vector<Row>& rows) {
  return std::min(number(rows[0], "gemm_ns"), number(rows[1], "collective_ns"));
}

/// Of the shorter one's time; of one that takes none, none.
double share_of_shorter(double both, const std::vector<Row>& rows) {
  const double least = shorter(rows);
  return least > 0 ? both / least : 0;
}

constexpr double kShared = 0.05;  // of the shorter one's time: then it is named

/// How long each unit is at work in the PE where that is longest.
std::string format_units(const std::vector<Row>& rows, const Look& look) {
  Table table({{"at work"},
               {"gemm (ns)", Align::kRight},
               {"collective (ns)", Align::kRight},
               {"together (ns)", Align::kRight},
               {"of the time", Align::kRight}});
  const double time = number(rows[2], "time_ns");
  for (std::size_t i = 0; i < rows[2].stages.size(); ++i) {
    const auto work = [&](std::size_t row) { return rows[row].stages.at(i).wall_ns; };
    const bool both = std::min(work(0), work(1)) > kShared * shorter(rows);
    table.add_row({{rows[2].stages[i].stage, both ? Style::kYellow : Style::kPlain},
                   one_decimal(work(0)),
                   one_decimal(work(1)),
                   one_decimal(work(2)),
                   percent(work(2) / time)});
  }
  return table.format(look) + "\n";
}

std::string format_link(const Row& row, const char* time) {
  const std::string name = row.metrics.at("busiest_link").get<std::string>();
  if (name.empty()) return "none between routers";
  const double work = number(row, "busiest_link_ns");
  return name + ", " + one_decimal(work) + " ns: " + percent(work / number(row, time)) + " of its time";
}

/// Which links each uses, and what both want for so long that they wait for each other there.
std::string format_shared(const std::vector<Row>& rows, const std::vector<std::string>& links, const Look& look) {
  std::vector<Shared> all;
  for (std::size_t i = 0; i < rows[2].stages.size(); ++i) {
    all.push_back({rows[2].stages[i].stage, rows[0].stages.at(i).wall_ns, rows[1].stages.at(i).wall_ns});
  }
  const Shared link = shared_link(rows, links);
  if (!link.name.empty()) all.push_back(link);
  std::ranges::stable_sort(all, [](const Shared& a, const Shared& b) { return a.both() > b.both(); });
  std::string waits;
  for (const Shared& of : all) {
    if (of.both() <= kShared * shorter(rows)) break;
    waits += (waits.empty() ? "" : ", ") + of.name + " (" + percent(share_of_shorter(of.both(), rows)) + ")";
  }
  const std::string of = " of the shorter one's own time";
  std::string text = fact("links", "gemm: " + format_link(rows[0], "gemm_ns"), look);
  text += fact("", "collective: " + format_link(rows[1], "collective_ns"), look);
  text += fact("",
               "both use most: " + (link.name.empty() ? "none"
                                                      : link.name + ", " + one_decimal(link.gemm) + " ns and " +
                                                            one_decimal(link.collective) + " ns"),
               look);
  if (!waits.empty())
    return text + fact("wait for",
                       "each other, where both are at work for more than " + percent(kShared) + of + ": " + waits,
                       look);
  return text +
         fact("wait for",
              "nothing by name: of these units and of the links, none is at work for both for " + percent(kShared) +
                  of + "; most is " + all.front().name + " with " + percent(share_of_shorter(all.front().both(), rows)),
              look);
}

std::string format_what(const CollectiveCase& collective, const std::vector<Row>& rows, const Look& look) {
  std::string text =
      fact("gemm", rows[0].point.at("variant").get<std::string>() + ", " + describe_placement(rows[0]), look);
  const bool in_hbm = rows[1].metrics.at("buffers_in_hbm").get<bool>();
  return text + fact("collective",
                     collective.algorithm + "; its buffers lie in " +
                         (in_hbm ? "HBM: what the GEMM and the slots leave of the TCM does not hold them. `sim "
                                   "collective` keeps them in TCM where they fit there alone, and is faster then"
                                 : "TCM, as in `sim collective`"),
                     look);
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
  const GemmProblem problem{.m = options.m,
                            .k = options.k,
                            .n = options.n,
                            .layout = kLayouts.parse(options.layout, "--layout"),
                            .epilogues = parse_epilogues(options.epilogue)};
  const auto pes = static_cast<std::int32_t>(part.pes());
  BesideRequest request{{.problem = problem, .kernel = kernel.name, .tcm = tcm_beside(part.machine, lanes)}};
  request.gemm.pes.resize(static_cast<std::size_t>(pes));
  std::iota(request.gemm.pes.begin(), request.gemm.pes.end(), 0);
  const OverWays planned =
      plan_ways(options.child, part.machine, {kernel.name}, [&](const NetworkPlan& plan, const std::string&) {
        return choose_placement(part.machine, plan, request.gemm, options.placement);
      });
  const OverWay& way = planned.ways.front();
  if (!way.refused.empty()) throw ConfigError(way.refused);
  print_notes(planned.notes);
  request.gemm.placement = way.plan.placement;
  request.gemm_tcm = way.plan.tcm;
  MemoryEstimate memory = memory_of(collective, part, options.verify);
  memory.add(gemm_over_memory(part.machine, problem, pes, way.plan.bytes_of_pe, options.verify));
  const std::string between =
      part.pes_of_rank > 1 ? " between " + counted(part.grid.size(), "rank") + " of " + counted(part.pes_of_rank, "PE")
                           : "";
  const std::string title = "gemm, M x K x N = " + std::to_string(problem.m) + " x " + std::to_string(problem.k) +
                            " x " + std::to_string(problem.n) + what_else(problem) + ", " + kernel.name + " beside " +
                            options.beside + between + " over " + counted(pes, "PE") + " of " + machine.spec.name;
  const TraceHeader header{
      title, {{"machine", machine.spec.name}, {"machine_sha256", machine.sha256}, {"model", kModelVersion}}};
  std::vector<Row> rows;
  for (const BesideCase& of : kCases) {
    SimOptions run = options;
    if (of.which != BesideRun::kBoth) run.trace.clear();  // a trace is of both together
    Row row = simulate_isolated(run, header, memory, [&](const RunSettings& settings) {
      return row_of(run_beside(part.machine, request, lanes, of.which, settings));
    });
    row.metrics["pes"] = pes;
    add_bound(of.which, way.plan, bound_of(collective, part), part.machine, row);
    row.point = {{"run", of.name}};
    row.point.update(over_point(options, problem, way));
    row.point.update({{"algorithm", collective.algorithm}, {"beside", options.beside}});
    if (part.pes_of_rank > 1) row.point["ranks_per"] = options.ranks_per;
    rows.push_back(std::move(row));
  }
  const auto tables = [&](const Look& look) {
    return styled(title, Style::kBold, look.colours) + "\n" + format_times(rows, look) +
           format_what(collective, rows, look) + "\n" + format_units(rows, look) +
           format_shared(rows, planned.links, look) + "\n" +
           format_ledgers_beside(rows[0], rows[2], part.machine, look) +
           format_extras(rows.back(), options.trace.string(), look);
  };
  std::vector<Row> kept = rows;
  for (Row& row : kept) row.metrics.erase(kLinks);
  options.deliver(tables, as_results(std::move(kept), "sim-gemm-beside", machine), machine, title);
  return 0;
}

}  // namespace kernbench
