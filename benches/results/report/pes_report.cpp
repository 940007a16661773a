#include "benches/results/report/pes_report.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostPes = 32;  // that a table shows one by one
constexpr double kHotController = 1.25;

}  // namespace

std::string format_pes(const Row& row, const Terminal& terminal) {
  Table table({{"PE"},
               {"end (ns)", Align::kRight},
               {"array at work (ns)", Align::kRight},
               {"idle", Align::kRight},
               {"read (B)", Align::kRight},
               {"sent (B)", Align::kRight},
               {"written (B)", Align::kRight, 1}});
  const double time = row.metrics.at(kTime);
  const std::size_t pes = row.stages.size() / kStagesOfPe.size();
  for (std::size_t i = 0; i < std::min(pes, kMostPes); ++i) {
    const auto of = [&](std::size_t what) -> const StageRow& { return row.stages[i * kStagesOfPe.size() + what]; };
    table.add_row({of(0).engine, one_decimal(of(0).wall_ns), one_decimal(of(1).wall_ns),
                   percent(time == 0 ? 0 : 1 - of(1).wall_ns / time), grouped(of(2).bytes), grouped(of(3).bytes),
                   grouped(of(4).bytes)});
  }
  std::string text = table.format(terminal);
  if (pes > kMostPes) {
    text += prose("and " + counted(static_cast<std::int64_t>(pes - kMostPes), "PE") + " more: --json has them all",
                  terminal);
  }
  return text;
}

std::string format_ledgers(const Row& row, const MachineSpec& machine, const Terminal& terminal) {
  const std::vector<CauseSpread> causes = ledger_spread_of(row);
  if (causes.empty()) return "";
  Table table({{"time spent (ns)"},
               {"last PE", Align::kRight},
               {"mean", Align::kRight},
               {"least", Align::kRight},
               {"most", Align::kRight}});
  for (const CauseSpread& cause : causes) {
    table.add_row({cause_name(cause.cause), one_decimal(cause.critical_ns), one_decimal(cause.mean_ns),
                   one_decimal(cause.min_ns), one_decimal(cause.max_ns)});
  }
  return table.format(terminal) + "\n" + fact("last PE", row.metrics.at(kCriticalPe) + ", which ends last", terminal) +
         format_limit(row, machine, terminal);
}

std::string describe_placement(const Row& row) {
  std::string text = row.metrics.at(kChosenPlacement) + "; ";
  const std::int64_t idle = row.metrics.at(kIdlePes);
  text += idle == 0 ? "every PE has a tile"
                    : std::to_string(idle) + " of " + counted(row.metrics.at(kPeCount), "PE") + " have no tile";
  if (row.metrics.has(kBoundBottleneck)) {
    text += "; bound by " + row.metrics.at(kBoundBottleneck);
  }
  if (row.metrics.at(kReplicatedBytes) == 0) return text;
  return text + "; replicated before the run begins, not in the time: " + grouped(row.metrics.at(kReplicatedBytes)) +
         " B of others in every PE, whose port takes " + one_decimal(row.metrics.at(kReplicatedTime)) +
         " ns for them at least";
}

std::string format_multi_pe_facts(const Row& row, const Terminal& terminal) {
  const auto bytes = [&row](const Metric<std::int64_t>& metric) { return grouped(row.metrics.at(metric)) + " B"; };
  const std::string busiest = row.metrics.at(kBusiestLink);
  std::string text = fact("array idle",
                          one_decimal(row.metrics.at(kArrayIdle)) +
                              " ns in which an array stands still, in the mean, whatever it waits for",
                          terminal);
  text += fact("imbalance",
               "the array that works longest works " + percent(row.metrics.at(kWorkImbalance)) +
                   " longer than the mean; the last PE ends " + percent(row.metrics.at(kImbalance)) + " after the mean",
               terminal);
  text += fact("network",
               bytes(kNetworkBytes) + " over links between routers, a byte once a link" +
                   (busiest.empty() ? ""
                                    : "; the busiest, " + busiest + ", is at work for " +
                                          percent(row.metrics.at(kBusiestLinkUtilisation)) + " of the time"),
               terminal);
  if (row.metrics.has(kBusiestController) && row.metrics.at(kBusiestControllerLoad) >= kHotController) {
    text += fact("memory",
                 row.metrics.at(kBusiestController) + " carried " +
                     formatted("%.3g", row.metrics.at(kBusiestControllerLoad)) +
                     " times the mean of its die's controllers; die.hbm.interleave and die.hbm.hash spread addresses",
                 terminal);
  }
  return text + fact("ports", bytes(kPortBytes) + " between routers and their own PEs and memories", terminal);
}

std::string format_repeated(const Row& row, const std::string& option, const Terminal& terminal) {
  if (!row.metrics.has(kTilesPassedOver)) return "";
  const std::int64_t pes = row.metrics.at(kPeCount);
  const std::int64_t alike = pes - row.metrics.at(kPesSimulated);
  const std::int64_t tiles = row.metrics.at(kTilesPassedOver);
  if (alike == 0 && tiles == 0) return "";
  std::string text = pes > 1 ? "no PE has anything to do with another" : "";
  if (alike > 0)
    text += ": " + grouped(alike) + " of " + grouped(pes) + " have the work, or none, that another one has";
  if (tiles > 0)
    text += (text.empty() ? "" : "; ") + grouped(tiles) + " tiles" + (pes > 1 ? " of all PEs" : "") + " repeat others";
  return fact("repeated", text + "; they were counted, which comes to the same (" + option + " simulates all)",
              terminal);
}

}  // namespace kernbench
