// A collective over ranks of a machine of PEs (adr/0018 to 0020).
#include <algorithm>
#include <map>

#include "benches/collective/derived_tables.hpp"
#include "benches/collective/workload.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/collective_bench.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "benches/workloads/collective/derive_collectives.hpp"
#include "benches/workloads/collective/port_time.hpp"
#include "benches/workloads/collective/rank_units.hpp"
#include "benches/workloads/collective/row_from_collective.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"
#include "sim/plan/network/buffer_room.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/plan/network/slot_room.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kLargestError{"largest_error"};

/// "8 ranks of 2 PEs on milestone-1h: 1x1 packages of 1x1 dies of 2x4 PEs, packets of 256 B".
std::string place_text(const CollectiveOnPes& placed) {
  const auto shape = [](const GridShape& grid) {
    return std::to_string(grid.rows) + "x" + std::to_string(grid.columns);
  };
  const RankGrid& grid = placed.part.grid;
  std::string text = counted(grid.size(), "rank");
  if (placed.part.pes_of_rank > 1) text += " of " + counted(placed.part.pes_of_rank, "PE");
  text += " on " + placed.machine + ": ";
  if (placed.part.pes_of_rank > 1 && grid.pes.size() > 1) {
    text += "a row of " + std::to_string(grid.pes.size());
  } else {
    text += shape(grid.packages) + " packages";
    if (placed.asked.ranks_per != RanksPer::kPackage) text += " of " + shape(grid.dies) + " dies";
    if (placed.asked.ranks_per == RanksPer::kPe) text += " of " + shape(grid.pes) + " PEs";
  }
  return text + ", packets of " + format_quantity(placed.part.machine.simulation.packet, Dimension::kBytes);
}

std::string title_on_pes(const CollectiveOnPes& placed) {
  return std::string(kCollectives[placed.what.collective]) + " " + placed.what.algorithm + " of " +
         format_quantity(placed.what.bytes, Dimension::kBytes) + ", " + place_text(placed);
}

Row run_on_pes(const CollectiveOnPes& placed, const RunSettings& settings) {
  CollectiveSettings how{.limit = settings.limit, .sink = settings.sink, .fast_forward = settings.fast_forward};
  if (settings.verify) how.values = placed.asked.values;
  const CollectiveRails rails = rails_of(placed.what, placed.part);
  const CollectiveResult run = run_collective(placed.part.machine, rails, how);
  Row row = row_from_collective(run, *rails.front(), placed.what, placed.part);
  row.metrics.set(kPacketHops, run.packet_hops);
  row.metrics.set(kWakeupCount, run.wakeups);
  row.metrics.set(kPesSimulated, run.pes_simulated);
  if (how.values == CollectiveValues::kBf16) row.metrics.set(kLargestError, run.largest_error);
  return row;
}

MemoryEstimate memory_on_pes(const CollectiveOnPes& placed, bool verify) {
  return memory_of(placed.what, placed.part, verify);
}

double cost_on_pes(const CollectiveOnPes& placed) { return collective_cost(placed.part, placed.what); }

Row bound_on_pes(const CollectiveOnPes& placed) { return row_from_collective_bound(placed.what, placed.part); }

void set_up_on_pes(const CollectiveOnPes& placed) {
  only_set_up([&](const RunSettings& settings) { static_cast<void>(run_on_pes(placed, settings)); });
}

/// Those over the same part of the machine are compared with each other.
Planned plan_on_pes(const std::vector<CollectiveOnPes>& all, const Planning& planning) {
  Planned planned;
  planned.skipped.resize(all.size());
  std::map<std::string, std::vector<std::size_t>> by_part;
  for (std::size_t i = 0; i < all.size(); ++i) by_part[place_text(all[i])].push_back(i);
  for (const auto& [text, of_part] : by_part) {
    const MachinePart& part = all[of_part.front()].part;
    std::ranges::copy(buffer_warnings(part.machine), std::back_inserter(planned.warnings));
    std::ranges::copy(slot_notes(plan_network(part.machine), part.machine), std::back_inserter(planned.notes));
    std::vector<CollectiveCase> cases;
    for (const std::size_t i : of_part) cases.push_back(all[i].what);
    if (!planning.choice) {
      for (const CollectiveCase& what : cases) static_cast<void>(bound_of(what, part));
      continue;
    }
    const std::vector<std::string> why = far_behind(cases, part);
    for (std::size_t i = 0; i < of_part.size(); ++i) planned.skipped[of_part[i]] = why[i];
  }
  return planned;
}

std::string two_decimals(const Row& row, const Metric<double>& metric) {
  return formatted("%.2f", row.metrics.at(metric));
}

/// With the key that would raise it.
std::string bound_text(const Row& row) {
  const std::string& resource = row.metrics.at(kBoundBy);
  if (resource.empty()) return two_decimals(row, kBoundTime) + " ns: nothing has to be sent";
  std::string keys;
  const std::vector<std::string_view> named = keys_of_bound(resource);
  for (const std::string_view key : named) {
    const char* before = !keys.empty() ? " and " : named.size() > 1 ? " (the lesser of " : " (";
    keys += before + std::string(key);
  }
  if (!keys.empty()) keys += ')';
  return two_decimals(row, kBoundTime) + " ns by " + resource + keys + "; " + percent(row.metrics.at(kBoundFraction)) +
         " of it is reached";
}

std::vector<Fact> facts_on_pes(const Row& row) {
  const Collective collective = kCollectives.parse(row.point.at("collective").get<std::string>());
  const auto bytes = row.point.at("bytes").get<Bytes>();
  const std::int64_t hops = row.metrics.at(kPacketHops);
  std::vector<Fact> facts{
      {"size", grouped(bytes) + " B, count " +
                   grouped(nccl_count(collective, row.metrics.at(kRankCount), bytes / kElementBytes)) +
                   " of bf16 (as nccl-tests counts)"},
      {"time", two_decimals(row, kTime) + " ns"},
      {"bandwidth", two_decimals(row, kAlgbwGbs) + " GB/s algbw, " + two_decimals(row, kBusbwGbs) + " GB/s busbw"},
      {"bound", bound_text(row)}};
  if (row.metrics.at(kLinkUtilisationMax) > 0) {
    facts.push_back({"links", percent(row.metrics.at(kLinkUtilisationMax)) + " of the time busy at most, " +
                                  percent(row.metrics.at(kLinkUtilisationMean)) +
                                  " in the mean; most: " + row.metrics.at(kBusiestLink)});
  }
  facts.push_back({"buffers", row.metrics.at(kBuffersInHbm) ? "in HBM: TCM does not hold them" : "in TCM"});
  if (row.metrics.has(kLargestError)) {
    facts.push_back({"values", "the largest error is " + short_number(row.metrics.at(kLargestError))});
  }
  if (row.metrics.at(kPesSimulated) < row.metrics.at(kRankCount)) {
    facts.push_back({"repeated", counted(row.metrics.at(kPesSimulated), "PE") + " stood for all " +
                                     grouped(row.metrics.at(kRankCount)) +
                                     ": every package does what the one before it does, which comes to the same "
                                     "(--no-fast-forward simulates all)"});
  }
  if (hops > 0) {
    facts.push_back({"simulation", grouped(hops) + " packet-hops, " +
                                       formatted("%.2f", static_cast<double>(row.metrics.at(kWakeupCount)) /
                                                             static_cast<double>(hops)) +
                                       " wake-ups a hop"});
  }
  return facts;
}

}  // namespace

WorkloadAnswers collectives_on_pes(const Axes<CollectiveAsked>& axes) {
  const Answers<CollectiveAsked, CollectiveOnPes> answers{.columns = {{"time_ns", "time (ns)"},
                                                                      {"algbw_gbs", "algbw (GB/s)"},
                                                                      {"busbw_gbs", "busbw (GB/s)"},
                                                                      {"bound_fraction", "of bound", true},
                                                                      {"link_util_max", "max link", true},
                                                                      {"in_hbm", "buffers in HBM"},
                                                                      {"busiest_link", "busiest link"}},
                                                          .multi_pe = true,
                                                          .smaller = "fewer ranks, a smaller size or a larger chunk",
                                                          .settled = settled_collective,
                                                          .plan = plan_on_pes,
                                                          .place = place_collective,
                                                          .title = title_on_pes,
                                                          .run = run_on_pes,
                                                          .memory = memory_on_pes,
                                                          .cost = cost_on_pes,
                                                          .bound = bound_on_pes,
                                                          .set_up = set_up_on_pes,
                                                          .facts = facts_on_pes,
                                                          .derive = derive_collectives,
                                                          .summary = format_derived_collectives};
  return answers.of(axes);
}

}  // namespace kernbench
