// A collective over ranks of a machine of PEs (adr/0018 to 0020).
#include <algorithm>
#include <map>

#include "benches/collective/derived_tables.hpp"
#include "benches/collective/workload.hpp"
#include "benches/harness/collective/collective_bench.hpp"
#include "benches/harness/collective/derive_collectives.hpp"
#include "benches/harness/collective/port_time.hpp"
#include "benches/harness/collective/row_from_collective.hpp"
#include "benches/harness/text/numbers.hpp"
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

struct OnPes {
  CollectiveAsked asked;
  std::string machine;
  MachinePart part;
  CollectiveCase what;
};

bool has_root(Collective collective) {
  return collective == Collective::kBroadcast || collective == Collective::kReduce;
}

/// What would be ignored.
void refuse_roots_of_none(const CollectiveAsked& asked) {
  const std::string collective(kCollectives[asked.collective]);
  if (asked.root != 0 && !has_root(asked.collective)) {
    throw ConfigError("root " + std::to_string(asked.root) + ": expected a broadcast or a reduce; " + collective +
                      " has no root");
  }
  if (asked.root_die != RootDie::kCentre && asked.algorithm != "hierarchical") {
    throw ConfigError("root die " + std::string(kRootDies[asked.root_die]) +
                      ": expected the algorithm hierarchical, which alone has one");
  }
}

/// The smallest of die, package and system that has more than one rank, else system.
Scale smallest_scale(const MachineSpec& machine, RanksPer per) {
  const std::int64_t pes = pes_of_rank(machine, per);
  if (pes_of_die(machine) / pes > 1) return Scale::kDie;
  return pes_of_package(machine) / pes > 1 ? Scale::kPackage : Scale::kSystem;
}

CollectiveAsked settled_on_pes(const MachineSpec& machine, const CollectiveAsked& asked) {
  CollectiveAsked settled = asked;
  if (asked.scale == Scale::kAuto && asked.ranks == 0) settled.scale = smallest_scale(machine, asked.ranks_per);
  return settled;
}

/// Throws CapacityError where a scale has one rank.
MachinePart part_of(const MachineSpec& machine, const CollectiveAsked& asked) {
  if (asked.ranks == 0) {
    const std::string scale(kScales[settled_on_pes(machine, asked).scale]);
    MachinePart part = *part_by_scale(machine, scale, asked.ranks_per);
    if (part.grid.size() > 1) return part;
    throw CapacityError("scale " + scale + " has one rank on machine " + machine.name +
                        ": expected one of die, package and system that has several, or another ranks_per");
  }
  if (asked.scale == Scale::kAuto) return first_ranks(machine, asked.ranks, asked.ranks_per);
  throw ConfigError("scale " + std::string(kScales[asked.scale]) + ": expected none beside ranks, " +
                    std::to_string(asked.ranks));
}

OnPes place_on_pes(const MachineSpec& machine, const CollectiveAsked& asked) {
  require_section(machine, "pe.message_queue", "a collective");
  refuse_roots_of_none(asked);
  OnPes placed{asked, machine.name, part_of(machine, asked), {}};
  placed.what = {.collective = asked.collective,
                 .algorithm = asked.algorithm,
                 .bytes = asked.bytes,
                 .root = static_cast<std::int32_t>(asked.root),
                 .root_die = asked.root_die,
                 .chunk = 0};
  placed.what.chunk = asked.chunk == "usual" ? usual_chunk(placed.what, placed.part.machine)
                                             : parse_quantity(asked.chunk, Dimension::kBytes);
  find_collective_algorithm(asked.algorithm).check(request_of(placed.what, placed.part));
  return placed;
}

/// "8 ranks of 2 PEs on milestone-1h: 1x1 packages of 1x1 dies of 2x4 PEs, packets of 256 B".
std::string place_text(const OnPes& placed) {
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

std::string title_on_pes(const OnPes& placed) {
  return std::string(kCollectives[placed.what.collective]) + " " + placed.what.algorithm + " of " +
         format_quantity(placed.what.bytes, Dimension::kBytes) + ", " + place_text(placed);
}

Row run_on_pes(const OnPes& placed, const RunSettings& settings) {
  CollectiveSettings how{.limit = settings.limit, .sink = settings.sink, .fast_forward = settings.fast_forward};
  if (settings.verify) how.values = placed.asked.values;
  const CollectiveLanes lanes = lanes_of(placed.what, placed.part);
  const CollectiveResult run = run_collective(placed.part.machine, lanes, how);
  Row row = row_from_collective(run, *lanes.front(), placed.what, placed.part);
  row.metrics["packet_hops"] = run.packet_hops;
  row.metrics["wakeups"] = run.wakeups;
  row.metrics["pes_simulated"] = run.pes_simulated;
  if (how.values == CollectiveValues::kBf16) row.metrics["largest_error"] = run.largest_error;
  return row;
}

MemoryEstimate memory_on_pes(const OnPes& placed, bool verify) { return memory_of(placed.what, placed.part, verify); }

double cost_on_pes(const OnPes& placed) { return collective_cost(placed.part, placed.what); }

Row bound_on_pes(const OnPes& placed) { return row_from_collective_bound(placed.what, placed.part); }

/// Those over the same part of the machine are compared with each other.
Planned plan_on_pes(const std::vector<OnPes>& all, bool choice) {
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
    if (!choice) {
      for (const CollectiveCase& what : cases) static_cast<void>(bound_of(what, part));
      continue;
    }
    const std::vector<std::string> why = far_behind(cases, part);
    for (std::size_t i = 0; i < of_part.size(); ++i) planned.skipped[of_part[i]] = why[i];
  }
  return planned;
}

std::string two_decimals(const Row& row, const char* metric) { return formatted("%.2f", number(row, metric)); }

std::vector<Fact> facts_on_pes(const Row& row) {
  const auto whole = [&row](const char* metric) { return row.metrics.at(metric).get<std::int64_t>(); };
  const Collective collective = kCollectives.parse(row.point.at("collective").get<std::string>());
  const auto bytes = row.point.at("bytes").get<Bytes>();
  const std::int64_t hops = whole("packet_hops");
  std::vector<Fact> facts{
      {"size", grouped(bytes) + " B, count " + grouped(nccl_count(collective, whole("ranks"), bytes / kElementBytes)) +
                   " of bf16 (as nccl-tests counts)"},
      {"time", two_decimals(row, "time_ns") + " ns"},
      {"bandwidth", two_decimals(row, "algbw_gbs") + " GB/s algbw, " + two_decimals(row, "busbw_gbs") + " GB/s busbw"},
      {"bound", two_decimals(row, "bound_ns") + " ns by " + row.metrics.at("bound").get<std::string>() + "; " +
                    percent(number(row, "bound_fraction")) + " of it is reached"}};
  if (number(row, "link_util_max") > 0) {
    facts.push_back({"links", percent(number(row, "link_util_max")) + " of the time busy at most, " +
                                  percent(number(row, "link_util_mean")) +
                                  " in the mean; most: " + row.metrics.at("busiest_link").get<std::string>()});
  }
  facts.push_back({"buffers", row.metrics.at("in_hbm").get<bool>() ? "in HBM: TCM does not hold them" : "in TCM"});
  if (row.metrics.contains("largest_error")) {
    facts.push_back({"values", "the largest error is " + short_number(number(row, "largest_error"))});
  }
  if (whole("pes_simulated") < whole("ranks")) {
    facts.push_back({"repeated", counted(whole("pes_simulated"), "PE") + " stood for all " + grouped(whole("ranks")) +
                                     ": every package does what the one before it does, which comes to the same "
                                     "(--no-fast-forward simulates all)"});
  }
  if (hops > 0) {
    facts.push_back(
        {"simulation", grouped(hops) + " packet-hops, " +
                           formatted("%.2f", static_cast<double>(whole("wakeups")) / static_cast<double>(hops)) +
                           " wake-ups a hop"});
  }
  return facts;
}

}  // namespace

WorkloadAnswers collectives_on_pes(const Axes<CollectiveAsked>& axes) {
  const Answers<CollectiveAsked, OnPes> answers{.columns = {{"time_ns", "time (ns)"},
                                                            {"algbw_gbs", "algbw (GB/s)"},
                                                            {"busbw_gbs", "busbw (GB/s)"},
                                                            {"bound_fraction", "of bound", true},
                                                            {"link_util_max", "max link", true},
                                                            {"busiest_link", "busiest link"}},
                                                .over_pes = true,
                                                .smaller = "fewer ranks, a smaller size or a larger chunk",
                                                .settled = settled_on_pes,
                                                .plan = plan_on_pes,
                                                .place = place_on_pes,
                                                .title = title_on_pes,
                                                .run = run_on_pes,
                                                .memory = memory_on_pes,
                                                .cost = cost_on_pes,
                                                .bound = bound_on_pes,
                                                .facts = facts_on_pes,
                                                .derive = derive_collectives,
                                                .summary = format_derived_collectives};
  return answers.of(axes);
}

}  // namespace kernbench
