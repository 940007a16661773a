#include "benches/concurrent/report.hpp"

#include <algorithm>
#include <vector>

#include "benches/concurrent/pes_metrics.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/pes_report.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

std::string format_times(const Row& row, const Terminal& terminal) {
  Table table({{""}, {"alone (ns)", Align::kRight}, {"together (ns)", Align::kRight}, {"longer by", Align::kRight}});
  const auto add = [&](const std::string& name) {
    const double alone = row.metrics.at(prefixed(name + "_", kAloneTime));
    const double together = row.metrics.at(prefixed(name + "_", kTogetherTime));
    const std::string longer = alone > 0 ? percent(together / alone - 1) : "-";  // one rank sends nothing
    table.add_row({name, one_decimal(alone), one_decimal(together), longer});
  };
  add("gemm");
  add("collective");
  const double gemm = row.metrics.at(kGemmAlone);
  const double collective = row.metrics.at(kCollectiveAlone);
  const double together = row.metrics.at(kTime);
  const double hidden = gemm + collective - together;
  std::string text = table.format(terminal) + "\n";
  text += fact("both",
               one_decimal(together) + " ns together, " + one_decimal(gemm + collective) + " ns one after the other: " +
                   (hidden > 0 ? percent(hidden / std::min(gemm, collective)) + " of the shorter one is hidden"
                               : std::string("nothing is hidden")),
               terminal);
  if (const double after = row.metrics.value_or(kCollectiveAfter, 0.0); after > 0) {
    text += fact("after it", "the collective goes on for " + one_decimal(after) + " ns alone", terminal);
  }
  return text;
}

/// Of whose time a share is: of the one that is over first by itself.
double shorter(const Row& row) { return std::min(row.metrics.at(kGemmAlone), row.metrics.at(kCollectiveAlone)); }

/// Of something that both may want: how long it works for each alone, and for both together.
struct Shared {
  std::string name;
  double gemm = 0;        ///< ns
  double collective = 0;  ///< ns
  double together = 0;    ///< ns; 0 where it is not known
  [[nodiscard]] double both() const { return std::min(gemm, collective); }
};

std::vector<Shared> units_of(const Row& row) {
  std::vector<Shared> units;
  for (std::size_t i = 0; i + 2 < row.stages.size(); i += kConcurrentRuns.size()) {
    const auto work = [&](std::size_t which) { return row.stages[i + which].wall_ns; };
    units.push_back({row.stages[i].stage, work(0), work(1), work(2)});
  }
  return units;
}

constexpr double kShared = 0.05;  // of the shorter one's time: then it is named

/// How long each unit is at work in the PE where that is longest.
std::string format_units(const Row& row, const Terminal& terminal) {
  Table table({{"at work"},
               {"gemm (ns)", Align::kRight},
               {"collective (ns)", Align::kRight},
               {"together (ns)", Align::kRight},
               {"of the time", Align::kRight}});
  for (const Shared& unit : units_of(row)) {
    const bool both = unit.both() > kShared * shorter(row);
    table.add_row({{unit.name, both ? Style::kYellow : Style::kPlain},
                   one_decimal(unit.gemm),
                   one_decimal(unit.collective),
                   one_decimal(unit.together),
                   percent(unit.together / row.metrics.at(kTime))});
  }
  return table.format(terminal) + "\n";
}

std::string busiest_link(const Row& row, const std::string& whose) {
  const std::string name = row.metrics.at(prefixed(whose + "_", kBusiestLink));
  if (name.empty()) return "none between routers";
  const double work = row.metrics.at(prefixed(whose + "_", kBusiestLinkTime));
  return name + ", " + one_decimal(work) + " ns: " + percent(work / row.metrics.at(prefixed(whose + "_", kAloneTime))) +
         " of its time";
}

/// Which links each uses, and what both want for so long that they wait for each other there.
std::string format_shared(const Row& row, const Terminal& terminal) {
  std::vector<Shared> all = units_of(row);
  std::string shared_link = "none";
  if (row.metrics.has(kSharedLink)) {
    all.push_back(
        {row.metrics.at(kSharedLink), row.metrics.at(kSharedLinkOfGemm), row.metrics.at(kSharedLinkOfCollective)});
    shared_link =
        all.back().name + ", " + one_decimal(all.back().gemm) + " ns and " + one_decimal(all.back().collective) + " ns";
  }
  std::ranges::stable_sort(all, [](const Shared& a, const Shared& b) { return a.both() > b.both(); });
  const auto share = [&row](const Shared& of) { return shorter(row) > 0 ? of.both() / shorter(row) : 0; };
  std::string waits;
  for (const Shared& of : all) {
    if (share(of) > kShared) waits += (waits.empty() ? "" : ", ") + of.name + " (" + percent(share(of)) + ")";
  }
  const std::string of = " of the shorter one's own time";
  const std::string text = fact("links", "gemm: " + busiest_link(row, "gemm"), terminal) +
                           fact("", "collective: " + busiest_link(row, "collective"), terminal) +
                           fact("", "both use most: " + shared_link, terminal);
  if (!waits.empty()) {
    return text + fact("wait for",
                       "each other, where both are at work for more than " + percent(kShared) + of + ": " + waits,
                       terminal);
  }
  return text +
         fact("wait for",
              "nothing by name: of these units and of the links, none is at work for both for " + percent(kShared) +
                  of + "; most is " + all.front().name + " with " + percent(share(all.front())),
              terminal);
}

std::string format_what(const ConcurrentOnPes& placed, const Row& row, const Terminal& terminal) {
  const bool in_hbm = row.metrics.at(kBothBuffersInHbm);
  Row gemm = row;
  if (row.metrics.has(kGemmBoundBottleneck)) {
    gemm.metrics.set(kBoundBottleneck, row.metrics.at(kGemmBoundBottleneck));
  }
  return fact("gemm", placed.kernel + ", " + describe_placement(gemm), terminal) +
         fact("collective",
              placed.collective.what.algorithm + "; its buffers lie in " +
                  (in_hbm ? "HBM: what the GEMM and the slots leave of the TCM does not hold them. `sim "
                            "collective` keeps them in TCM where they fit there alone, and is faster then"
                          : "TCM, as in `sim collective`"),
              terminal);
}

/// What the time of a GEMM's PEs goes to alone, and beside the collective (33.12): the limit is that of the latter run.
std::string format_causes(const Row& row, const MachineSpec& machine, const Terminal& terminal) {
  std::vector<CauseSpread> causes = ledger_spread_of(row);
  if (causes.empty()) return "";
  const auto alone = [&row](Cause cause) { return row.metrics.value_or(alone_metric(cause), 0); };
  for (const Cause cause : kCauses.values()) {  // what is left of it beside: nothing
    const bool known = std::ranges::count(causes, cause, &CauseSpread::cause) > 0;
    if (!known && alone(cause) > 0) causes.push_back({cause});
  }
  Table table({{"gemm, mean PE"},
               {"alone (ns)", Align::kRight},
               {"together (ns)", Align::kRight},
               {"more (ns)", Align::kRight}});
  for (const CauseSpread& cause : causes) {
    table.add_row({cause_name(cause.cause), one_decimal(alone(cause.cause)), one_decimal(cause.mean_ns),
                   one_decimal(cause.mean_ns - alone(cause.cause))});
  }
  return table.format(terminal) + "\n" +
         fact("last PE", row.metrics.at(kCriticalPe) + ", whose part of the GEMM ends last", terminal) +
         format_limit(row, machine, terminal);
}

}  // namespace

Metric<double, std::string> alone_metric(Cause cause) { return ledger_metric(cause, "alone"); }

std::string report_concurrent(const ConcurrentOnPes& placed, const Row& row, const Terminal& terminal) {
  return format_times(row, terminal) + format_what(placed, row, terminal) + "\n" + format_units(row, terminal) +
         format_shared(row, terminal) + "\n" + format_causes(row, placed.collective.part.machine, terminal);
}

}  // namespace kernbench
