// Clause numbers are those of adr/0021.
#include "sim/plan/probe/path_rates.hpp"

#include <algorithm>
#include <optional>

#include "sim/base/checked.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/network/buffer_room.hpp"
#include "sim/plan/network/link_path.hpp"

namespace kernbench {
namespace {

std::string rate_text(Bandwidth rate) { return formatted("%.6g GB/s", rate.gbs()); }

/// The key that says how much room there is behind a link; "" where all is taken at once.
std::string room_key_of(const NetworkPlan& plan, const NetworkLink& link) {
  const NodeKind to = plan.node(link.to).kind;
  if (to == NodeKind::kHbm) return "die.hbm.port_buffer";
  if (to == NodeKind::kSram) return "die.sram.port_buffer";
  if (to != NodeKind::kRouter && to != NodeKind::kSwitch) return "";
  const std::string key = bandwidth_key(plan, link);
  if (key == "die.router.link_bandwidth") return "die.router.buffer";
  return key == "package.die_to_die.bandwidth" ? "package.die_to_die.buffer" : "system.package_link.buffer";
}

/// The room behind a link in its round trip, where that is less than packets that follow each other every `service`
/// need.
std::optional<PathTerm> room(const NetworkPlan& plan, const MachineSpec& machine, const NetworkLink& link,
                             Picoseconds service) {
  const std::string key = room_key_of(plan, link);
  if (key.empty()) return std::nullopt;
  const NetworkNode& to = plan.node(link.to);
  const Bytes packet = machine.simulation.packet;
  const Bytes buffer = to.kind == NodeKind::kHbm    ? machine.die.hbm.port_buffer
                       : to.kind == NodeKind::kSram ? machine.die.sram.port_buffer
                                                    : link.buffer;
  const std::int64_t held = packets_held(buffer, packet);
  const Picoseconds round = room_round_trip(link.latency, to.hop, service);
  if (held * service >= round) return std::nullopt;
  return PathTerm{
      key, room_rate(buffer, packet, round),
      std::to_string(held) + " packets of " + format_quantity(packet, Dimension::kBytes) + " in " +
          formatted("%.6g ns", round.ns()) + "; " +
          format_quantity(ceil_div(ceil_div(round.value, service.value) * packet, link.lanes), Dimension::kBytes) +
          " would do"};
}

void add(PathRate& path, const PathTerm& term) {
  const auto same = std::ranges::find(path.terms, term.key, &PathTerm::key);
  if (same == path.terms.end()) {
    path.terms.push_back(term);
  } else if (term.rate < same->rate) {
    *same = term;
  }
}

constexpr std::string_view kCredits = "pe.dma.outstanding_bursts";

/// All credits in a round trip (21.4, 21.9).
PathTerm credits(const ProbeTime& time, const MachineSpec& machine) {
  const Bytes packet = machine.simulation.packet;
  const std::int64_t bursts = time.window * (packet / machine.die.hbm.burst);
  return {std::string(kCredits),
          {ceil_mul_div(time.window * packet, kPicosecondsPerSecond, time.round_trip.value)},
          std::to_string(bursts) + " x " + format_quantity(machine.die.hbm.burst, Dimension::kBytes) + " in " +
              formatted("%.6g ns", time.round_trip.ns())};
}

struct NamedTransfer {
  std::string name;
  ProbeTransfer transfer;
};

/// Transfers of one packet: a long one's rate does not depend on how long it is.
std::vector<NamedTransfer> named_transfers(const NetworkPlan& plan, const MachineSpec& machine) {
  const std::int32_t pe = plan.find(NodeKind::kPe, {0, 0, 0});
  const std::int32_t own = nearest_hbm(plan, 0);
  const Bytes packet = machine.simulation.packet;
  const std::string hbm = plan.shares_hbm ? "nearest HBM controller" : "own HBM";
  std::vector<NamedTransfer> named{{hbm + " to TCM", {pe, own, ProbeDirection::kRead, packet}},
                                   {"TCM to " + hbm, {pe, own, ProbeDirection::kWrite, packet}}};
  const auto reads = [&](const std::string& name, std::int32_t memory) {
    named.push_back({name + " to TCM", {pe, memory, ProbeDirection::kRead, packet}});
  };
  if (has_section(machine, "die.sram")) reads("SRAM", plan.find(NodeKind::kSram, {0, 0, 0}));
  if (plan.numbers.die_routers > 1 && !plan.shares_hbm) reads("next PE's HBM", plan.find(NodeKind::kHbm, {0, 0, 1}));
  if (machine.package.dies.count() > 1) reads("next die's HBM", nearest_hbm(plan, plan.numbers.die_routers));
  if (machine.system.packages.count() > 1) reads("next package's HBM", nearest_hbm(plan, plan.numbers.routers()));
  if (absence(machine, sections_to_host()).empty()) {
    named.push_back({"host to HBM", {plan.find(NodeKind::kHost, {0, -1, -1}), own, ProbeDirection::kWrite, packet}});
  }
  return named;
}

const PathTerm* term(const PathRate& path, std::string_view key) {
  const auto found = std::ranges::find(path.terms, key, &PathTerm::key);
  return found == path.terms.end() ? nullptr : &*found;
}

/// Bursts in flight, in whole packets, that give `wanted` over this round trip.
std::int64_t bursts_for(Bandwidth wanted, Picoseconds round_trip, const MachineSpec& machine) {
  const auto in_flight = ceil_mul_div(round_trip.value, wanted.bytes_per_second, kPicosecondsPerSecond);
  const Bytes packet = machine.simulation.packet;
  return ceil_div(in_flight, packet) * (packet / machine.die.hbm.burst);
}

std::string cure(const PathTerm& slow, Bandwidth wanted, const ProbeTime& time, const MachineSpec& machine) {
  if (slow.key != kCredits) return rate_text(wanted);
  return std::to_string(bursts_for(wanted, time.round_trip, machine));
}

/// Each pair of keys once.
struct Warnings {
  std::vector<std::string> texts;

  void add(const PathTerm& unused, const std::string& who, const PathTerm& slow, const std::string& cure) {
    const std::string begin = unused.key + ": ";
    const std::string cause = "because of " + slow.key;
    const auto told = [&](const std::string& text) {
      return text.starts_with(begin) && text.find(cause) != std::string::npos;
    };
    if (std::ranges::any_of(texts, told)) return;
    texts.push_back(begin + who + " at most " + rate_text(slow.rate) + " of its " + rate_text(unused.rate) + ", " +
                    cause + (slow.what.empty() ? "" : " (" + slow.what + ")") + ": set " + slow.key + " to at least " +
                    cure);
  }
};

/// All ways from the host lead over the southern sides of the dies above the IO die.
void warn_of_host(const MachineSpec& machine, Warnings& warnings) {
  if (!absence(machine, sections_to_host()).empty()) return;
  const DieToDieSpec& ports = machine.package.die_to_die;
  const std::int64_t columns = machine.die.routers.columns;
  const std::int64_t connections = ports.connections_of_router(columns) * columns * machine.package.dies.columns;
  const PathTerm south{"package.die_to_die.bandwidth",
                       {saturating_multiply(connections, ports.bandwidth.bytes_per_second)},
                       std::to_string(connections) + " connections to the IO die"};
  const PathTerm host{"system.host_link.bandwidth", machine.system.host_link, ""};
  if (south.rate >= host.rate) return;
  warnings.add(host, "the host reaches the package's dies with", south,
               rate_text({ceil_div(host.rate.bytes_per_second, connections)}));
}

}  // namespace

std::string bandwidth_key(const NetworkPlan& plan, const NetworkLink& link) {
  const NetworkNode& from = plan.node(link.from);
  const NetworkNode& to = plan.node(link.to);
  const auto either = [&](NodeKind kind) { return from.kind == kind || to.kind == kind; };
  if (either(NodeKind::kHost)) return "system.host_link.bandwidth";
  if (from.at.package != to.at.package) return "system.package_link.bandwidth";
  return either(NodeKind::kSwitch) || from.at.die != to.at.die ? "package.die_to_die.bandwidth"
                                                               : "die.router.link_bandwidth";
}

Bandwidth PathRate::rate() const { return std::ranges::min(terms, {}, &PathTerm::rate).rate; }

std::vector<std::string> PathRate::limits() const {
  std::vector<std::string> keys;
  for (const PathTerm& term : terms) {
    if (term.rate == rate()) keys.push_back(term.key);
  }
  return keys;
}

CreditsNeeded credits_needed(const NetworkPlan& plan, const MachineSpec& machine) {
  const NamedTransfer own = named_transfers(plan, machine).front();
  PathRate path = path_rate(plan, machine, own.transfer, own.name);
  std::erase_if(path.terms, [](const PathTerm& term) { return term.key == kCredits; });
  const Picoseconds round_trip = probe_time(plan, machine, own.transfer).round_trip;
  return {path.rate(), round_trip, bursts_for(path.rate(), round_trip, machine)};
}

PathRate path_rate(const NetworkPlan& plan, const MachineSpec& machine, const ProbeTransfer& transfer,
                   const std::string& name) {
  const ProbeTime time = probe_time(plan, machine, transfer);
  const bool is_hbm = plan.node(transfer.memory).kind == NodeKind::kHbm;
  const bool known = !is_hbm || machine.die.hbm.follows_keys();
  const auto links = static_cast<std::int32_t>(plan.links.size());
  const auto nodes = static_cast<std::int32_t>(plan.nodes.size());
  PathRate path{name, {}};
  for (std::size_t i = 0; i < time.stages.size(); ++i) {
    const ProbeStage& stage = time.stages[i];
    if (stage.resource < links) {
      const NetworkLink& link = plan.link(stage.resource);
      add(path, {bandwidth_key(plan, link), stage.bandwidth, ""});
      const bool goes_on = i + 1 < time.stages.size() && time.stages[i + 1].resource < links;
      const Picoseconds service = goes_on ? std::max(stage.service, time.stages[i + 1].service) : stage.service;
      if (const auto term = room(plan, machine, link, service)) add(path, *term);
    } else if (stage.resource >= links + nodes) {
      const bool reads = transfer.direction == ProbeDirection::kRead;
      add(path, {reads ? "pe.tcm.write_bandwidth" : "pe.tcm.read_bandwidth", stage.bandwidth, ""});
    } else if (known) {
      add(path, {is_hbm ? "die.hbm.bandwidth" : "die.sram.bandwidth", stage.bandwidth, ""});
    }
  }
  if (known) add(path, credits(time, machine));
  return path;
}

std::vector<PathRate> path_rates(const NetworkPlan& plan, const MachineSpec& machine) {
  std::vector<PathRate> paths;
  for (const NamedTransfer& named : named_transfers(plan, machine)) {
    paths.push_back(path_rate(plan, machine, named.transfer, named.name));
  }
  return paths;
}

std::vector<std::string> rate_warnings(const NetworkPlan& plan, const MachineSpec& machine) {
  Warnings warnings;
  const std::int32_t own = nearest_hbm(plan, 0);
  for (const NamedTransfer& named : named_transfers(plan, machine)) {
    const PathRate path = path_rate(plan, machine, named.transfer, named.name);
    if (plan.node(named.transfer.initiator).kind != NodeKind::kPe) continue;
    const bool reads = named.transfer.direction == ProbeDirection::kRead;
    const PathTerm* hbm = named.transfer.memory == own ? term(path, "die.hbm.bandwidth") : nullptr;
    const PathTerm* sram = term(path, "die.sram.bandwidth");
    if (sram != nullptr) {
      const PathTerm& link = *term(path, "die.router.link_bandwidth");
      if (link.rate < sram->rate) warnings.add(*sram, "the SRAM is read with", link, rate_text(sram->rate));
    }
    if (hbm == nullptr) continue;
    const ProbeTime time = probe_time(plan, machine, named.transfer);
    for (const PathTerm& slow : path.terms) {
      if (slow.rate >= hbm->rate || slow.key.ends_with("buffer")) continue;  // of room 20.14 warns
      warnings.add(*hbm, reads ? "a PE reads its own HBM with" : "a PE writes its own HBM with", slow,
                   cure(slow, hbm->rate, time, machine));
    }
  }
  warn_of_host(machine, warnings);
  return warnings.texts;
}

}  // namespace kernbench
