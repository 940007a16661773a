// transfer: bytes from a memory to PEs or to it, on an otherwise idle machine, beside the closed form (docs/probe.md).
#include "benches/workloads/workload.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/row_from_transfer.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/pe_set.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/network/link_path.hpp"
#include "sim/system/probe/run_probe.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim transfer --target 0.0.1 --sizes '256 B..64 KiB*4'           a neighbour's HBM, by size
  kernbench sim transfer --initiator die --sizes 64KiB                      all PEs of a die read one memory at once
  kernbench sim transfer --initiator host --direction write --sizes 1MiB    from the host to the device
  kernbench sim transfer --target 0.0 --direction write                     to the SRAM of a die
  kernbench whatif transfer --initiator 0.0.0-0.0.3 --sizes 64KiB           what to change of the machine for it
  kernbench run transfer --sweep 'die.router.link_bandwidth=64 GB/s..256 GB/s*2'  over links of other rates

`kernbench probe` tries all kinds of places at once, and shows the closed form hop by hop.)";

constexpr Names<ProbeDirection> kDirections{"direction",
                                            {{ProbeDirection::kRead, "read"}, {ProbeDirection::kWrite, "write"}}};

struct TransferAsked {
  std::string initiator = "0.0.0";
  std::string target = "0.0.0";
  ProbeDirection direction = ProbeDirection::kRead;
  std::int64_t bytes = 16'384;
};

struct PlacedTransfer {
  MachineSpec machine;
  ProbeOutcome outcome;  ///< without ends
};

Axes<TransferAsked> transfer_axes() {
  using R = TransferAsked;
  Axes<R> axes;
  axes.pes({"initiator", "--initiator", "Who reads or writes, each as much, all at once: host, or PEs"},
           std::string("host|") + kOverTypes, &R::initiator);
  axes.text({"target", "--target", "Of a PE its HBM, of a die (two numbers) its SRAM"}, "P.D.E|P.D", &R::target);
  axes.choice({"direction", "--direction", "From the memory or to it"}, "read|write", &R::direction, kDirections);
  axes.quantity({"size", "--sizes,--bytes", "Of each of them, whole packets, or fewer bursts: 64KiB", "bytes"},
                Dimension::kBytes, &R::bytes);
  return axes;
}

std::int32_t target_node(const NetworkPlan& plan, const MachineSpec& machine, const std::string& text) {
  const bool of_die = std::ranges::count(text, '.') == 1;
  const PeSet named = parse_pes("--target", of_die ? text + ".0" : text, machine);
  if (named.pes.size() != 1)
    throw ConfigError("--target " + in_quotes(text) + ": expected one, as 0.0.1, or 0.0, a die's SRAM");
  if (!of_die) return nearest_hbm(plan, named.pes.front());
  if (const std::string missing = absence(machine, {"die.sram"}); !missing.empty()) {
    throw ConfigError("--target " + in_quotes(text) + ": " + missing);
  }
  return plan.find(NodeKind::kSram, plan.location_of(named.pes.front()));
}

std::vector<std::int32_t> initiators(const NetworkPlan& plan, const MachineSpec& machine, const std::string& text) {
  if (text == "host") {
    if (const std::string missing = absence(machine, sections_to_host()); !missing.empty()) {
      throw ConfigError("--initiator host: " + missing);
    }
    return {plan.find(NodeKind::kHost, {0, -1, -1})};
  }
  try {
    std::vector<std::int32_t> nodes;
    for (const std::int32_t pe : parse_pes("--initiator", text, machine).pes) {
      nodes.push_back(plan.find(NodeKind::kPe, plan.location_of(pe)));
    }
    return nodes;
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(error.what()) + ", or host");
  }
}

/// What is less than a packet is one of as many bursts (4.3).
MachineSpec with_packets_of(MachineSpec machine, Bytes bytes) {
  if (bytes > 0 && bytes % machine.die.hbm.burst == 0)
    machine.simulation.packet = std::min(machine.simulation.packet, bytes);
  return machine;
}

PlacedTransfer place_transfer(const MachineSpec& as_it_is, const TransferAsked& asked) {
  const MachineSpec machine = with_packets_of(as_it_is, asked.bytes);
  check_probe_bytes(machine, asked.bytes);
  const NetworkPlan plan = plan_network(machine);
  const std::int32_t memory = target_node(plan, machine, asked.target);
  Probe probe;
  for (const std::int32_t node : initiators(plan, machine, asked.initiator)) {
    probe.transfers.push_back({node, memory, asked.direction, asked.bytes});
  }
  return {machine, expect_probe(plan, machine, probe)};
}

std::string transfer_title(const PlacedTransfer& placed) {
  const ProbeOutcome& asked = placed.outcome;
  const ProbeTransfer& first = asked.probe.transfers.front();
  const std::size_t count = asked.probe.transfers.size();
  const bool reads = first.direction == ProbeDirection::kRead;
  return (count == 1 ? asked.initiator + (reads ? " reads " : " writes ")
                     : counted(static_cast<std::int64_t>(count), "PE") + (reads ? " read " : " write ")) +
         format_quantity(first.bytes, Dimension::kBytes) + (count == 1 ? "" : " each") + (reads ? " of " : " to ") +
         asked.memory + " on " + placed.machine.name;
}

Row run_transfer(const PlacedTransfer& placed, const RunSettings& settings) {
  if (settings.verify) throw ConfigError("--verify: a transfer carries no values");
  ProbeOutcome outcome = placed.outcome;
  const ProbeRun run = run_probe(placed.machine, outcome.probe.transfers, settings);
  outcome.ends = run.ends;
  Row row;
  add_transfer(row, outcome);
  add_energy(row, placed.machine.energy, run.activity, outcome.time());
  return row;
}

MemoryEstimate transfer_memory(const PlacedTransfer& placed, bool /*verify*/) { return system_memory(placed.machine); }

double transfer_cost(const PlacedTransfer& placed) {
  return static_cast<double>(placed.outcome.bytes()) / static_cast<double>(placed.machine.simulation.packet);
}

Row transfer_bound(const PlacedTransfer& placed) {
  Row row;
  if (!placed.outcome.no_bound.empty()) {
    row.status = "skipped";
    row.reason = placed.outcome.no_bound;
    return row;
  }
  row.metrics = {{kTime, placed.outcome.closed_form().ns()}};
  return row;
}

std::vector<Fact> transfer_facts(const Row& row) {
  const auto ns = [&row](const Metric<double>& metric) { return one_decimal(row.metrics.at(metric)) + " ns"; };
  std::vector<Fact> facts{{"time", ns(kTime)}};
  const std::string form = row.metrics.at(kClosedForm);
  if (form != "none") facts.push_back({"closed form", ns(kClosedFormTime) + (form == "exact" ? "" : ", a bound")});
  facts.push_back({"one way", ns(kOneWayTime) + " of wires, ports and hops"});
  const std::string rate = one_decimal(row.metrics.at(kGbs)) + " GB/s";
  if (form == "none") {
    facts.push_back({"rate", rate});
    return facts;
  }
  facts.push_back({"rate", rate + ", " + percent(row.metrics.at(kUtilisation)) + " of the " +
                               one_decimal(row.metrics.at(kPeakGbs)) + " GB/s of the way"});
  facts.push_back({"limited by", row.metrics.at(kLimitedBy)});
  return facts;
}

Workload transfer_workload() {
  const Axes<TransferAsked> axes = transfer_axes();
  const Answers<TransferAsked, PlacedTransfer> on_pes{
      .columns = {{"time_ns", "time (ns)"}, {"gbs", "GB/s"}, {"utilisation", "of the way", true}},
      .multi_pe = true,
      .smaller = "smaller --sizes",
      .place = place_transfer,
      .title = transfer_title,
      .run = run_transfer,
      .memory = transfer_memory,
      .cost = transfer_cost,
      .bound = transfer_bound,
      .facts = transfer_facts};
  return {.name = "transfer",
          .summary = "Bytes from a memory to PEs or a host, or to it, beside the closed form",
          .version = "1",
          .folder = "benches/transfer",
          .examples = kExamples,
          .axes = axes.all(),
          .on_pes = on_pes.of(axes),
          .on_gpu = {}};
}

Bench transfer_bench() {
  Bench bench = bench_of(transfer_workload(), {{"initiator", {"0.0.0", "0.0.0-0.0.3", "die"}},
                                               {"target", {"0.0.0", "0.0.1"}},
                                               {"direction", {"read", "write"}},
                                               {"size", {{"4 KiB", 4096}, {"64 KiB", 65'536}}}});
  bench.summary = "PEs that read or write one memory at once: axes initiator, target, direction, size take any values";
  return bench;
}

const bool registered = register_workload(transfer_workload(), transfer_bench());

}  // namespace
}  // namespace kernbench
