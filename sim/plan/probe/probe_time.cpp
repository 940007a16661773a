// Clause numbers are those of adr/0021.
#include "sim/plan/probe/probe_time.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/network/buffer_room.hpp"
#include "sim/plan/network/link_path.hpp"
#include "sim/plan/network/max_min.hpp"

namespace kernbench {
namespace {

/// Where a machine's memory stands in the formula.
struct MemoryTerms {
  Bandwidth bandwidth;
  Picoseconds service;
  Picoseconds work;
  Picoseconds latency;
  std::int64_t turns = 1;
  bool even = true;  ///< every packet takes as long, in turns
  bool posted = false;
};

MemoryTerms memory_terms(const MachineSpec& machine, const NetworkNode& memory, ProbeDirection direction,
                         std::int64_t packets) {
  if (memory.kind == NodeKind::kSram) {
    const SramSpec& sram = machine.die.sram;
    const Picoseconds service = sram.bandwidth.time_for(machine.simulation.packet);
    return {sram.bandwidth, service, packets * service, sram.latency, 1, true, false};
  }
  const HbmSpec& hbm = machine.die.hbm;
  const std::int64_t bursts = machine.simulation.packet / hbm.burst;
  const std::int64_t channels = hbm.pseudo_channels;
  MemoryTerms terms{.bandwidth = hbm.bandwidth,
                    .service = ceil_div(bursts, channels) * hbm.burst_time(),
                    .work = ceil_div(packets * bursts, channels) * hbm.burst_time(),
                    .latency = direction == ProbeDirection::kRead ? hbm.read_latency : Picoseconds{},
                    .turns = std::max<std::int64_t>(channels / bursts, 1),
                    .even = channels % bursts == 0 || bursts % channels == 0,
                    .posted = direction == ProbeDirection::kWrite};
  if (terms.posted) terms.work = {};  // all of it may be done after the acknowledgement
  return terms;
}

/// The links of a transfer's data, and its TCM port where it has one.
class Path {
 public:
  Path(const NetworkPlan& plan, const MachineSpec& machine, const ProbeTransfer& transfer)
      : plan_(plan), machine_(machine), reads_(transfer.direction == ProbeDirection::kRead), transfer_(transfer) {
    const bool has_tcm = plan.node(transfer.initiator).kind == NodeKind::kPe;
    if (has_tcm && !reads_) add_tcm();
    const std::int32_t from = reads_ ? transfer.memory : transfer.initiator;
    for (const NetworkChannel& step : link_path(plan, from, reads_ ? transfer.initiator : transfer.memory)) {
      const NetworkLink& link = plan.link(step.link);
      add(step.link, link.name, link.bandwidth, plan.latency_over(link));
    }
    if (has_tcm && reads_) add_tcm();
  }

  struct Step {
    std::int32_t resource = 0;
    std::string name;
    Bandwidth bandwidth;
    Picoseconds service;
    Picoseconds latency;  ///< to where the next step begins
  };

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] Picoseconds way() const {
    Picoseconds sum;
    for (const Step& step : steps_) sum += step.latency;
    return sum;
  }
  [[nodiscard]] Picoseconds slowest() const { return std::ranges::max(steps_, {}, &Step::service).service; }

  /// A link whose buffer gives its room back too late for an unbroken flow of packets, one each `slowest()`, of which
  /// `in_flight` may be anywhere (21.5).
  [[nodiscard]] const NetworkLink* short_of_room(std::int64_t in_flight) const {
    const Bytes packet = machine_.simulation.packet;
    for (const Step& step : steps_) {
      if (step.resource >= static_cast<std::int32_t>(plan_.links.size())) continue;
      const NetworkLink& link = plan_.link(step.resource);
      const NetworkNode& to = plan_.node(link.to);
      if (to.kind == NodeKind::kHbm || to.kind == NodeKind::kSram) {
        const Bytes port = to.kind == NodeKind::kHbm ? machine_.die.hbm.port_buffer : machine_.die.sram.port_buffer;
        if (in_flight > packets_held(port, packet)) return &link;
      }
      if (to.kind != NodeKind::kRouter && to.kind != NodeKind::kSwitch) continue;
      const std::int64_t room = packets_held(link.buffer, packet);
      if (in_flight > room && room * slowest() < room_round_trip(link.latency, to.hop, slowest())) return &link;
    }
    return nullptr;
  }

 private:
  void add(std::int32_t resource, const std::string& name, Bandwidth bandwidth, Picoseconds latency) {
    steps_.push_back({resource, name, bandwidth, bandwidth.time_for(machine_.simulation.packet), latency});
  }
  void add_tcm() {
    const auto first = static_cast<std::int32_t>(plan_.links.size() + plan_.nodes.size());
    add(first + 2 * transfer_.initiator + (reads_ ? 1 : 0),
        plan_.node(transfer_.initiator).name + (reads_ ? " TCM write port" : " TCM read port"),
        reads_ ? machine_.pe.tcm.write : machine_.pe.tcm.read, {});
  }

  const NetworkPlan& plan_;
  const MachineSpec& machine_;
  bool reads_;
  ProbeTransfer transfer_;
  std::vector<Step> steps_;
};

/// 21.4: the most that a rounds of credits, b turns of the channels and c packets on the slowest link add, where
/// a x window + b x turns + c = packets. For each a the best b is all or none.
Picoseconds queueing(const ProbeTime& time, std::int64_t packets, bool turns) {
  Picoseconds most;
  for (std::int64_t a = 0; a <= packets / time.window; ++a) {
    const std::int64_t left = packets - a * time.window;
    Picoseconds rest = left * time.slowest;
    if (turns) {
      rest = std::max(rest, left / time.channel_turns * time.memory_service + left % time.channel_turns * time.slowest);
    }
    most = std::max(most, a * time.round_trip + rest);
  }
  return most;
}

/// 21.12: the last packet may also wait for room: until the burst of its channels that is a queue's length before its
/// first has been written, one after the other since some packet k came.
Picoseconds posted_queueing(const ProbeTime& time, const MachineSpec& machine) {
  const HbmSpec& hbm = machine.die.hbm;
  const std::int64_t in_packet = ceil_div(machine.simulation.packet / hbm.burst, hbm.pseudo_channels);
  const std::int64_t last = time.packets - 1;
  Picoseconds most = queueing(time, last, false);
  const std::int64_t first_of_last = last / time.channel_turns * in_packet;  // bursts before it on its channels
  const std::int64_t written = first_of_last - hbm.write_queue;
  for (std::int64_t turn = 0; turn * in_packet <= written; ++turn) {
    const std::int64_t k = last % time.channel_turns + turn * time.channel_turns;
    most = std::max(most, queueing(time, k, false) + (written - turn * in_packet + 1) * hbm.burst_time());
  }
  return most;
}

/// 21.9.
std::string limit_of(const ProbeTime& time) {
  if (time.setup + time.round_trip > time.queueing) return "latency";
  // Time that each packet adds, as a fraction: a flow that goes on is as fast as the slowest of these.
  const auto slower = [](Picoseconds a, std::int64_t per_a, Picoseconds b, std::int64_t per_b) {
    return static_cast<Int128>(a.value) * per_b > static_cast<Int128>(b.value) * per_a;
  };
  const bool link = !slower(time.memory_service, time.channel_turns, time.slowest, 1) ||
                    (time.posted && time.queueing == queueing(time, time.packets - 1, false));
  const bool waits = time.packets > time.window;
  const Picoseconds service = link ? time.slowest : time.memory_service;
  if (waits && slower(time.round_trip, time.window, service, link ? 1 : time.channel_turns)) return "credits";
  return link ? "link" : "memory";
}

void add_stages(ProbeTime& time, const Path& path, const ProbeStage& memory, bool reads) {
  Picoseconds head = time.setup;
  Picoseconds tail = time.setup;
  const auto add_memory = [&] {
    ProbeStage stage = memory;
    stage.head = reads ? head : tail;
    stage.tail = stage.head + stage.service;
    head = tail = stage.tail + time.memory_latency;
    time.stages.push_back(stage);
  };
  if (reads) {
    head = tail = time.setup + time.request;
    add_memory();
  }
  Picoseconds rest = reads ? time.way : time.way + memory.service + memory.rest;
  for (const Path::Step& step : path.steps()) {
    tail = std::max(head + step.service, tail);
    time.stages.push_back(
        {step.resource, step.name, step.bandwidth, step.service, time.packets * step.service, head, tail, rest});
    head += step.latency;
    tail += step.latency;
    rest -= step.latency;
  }
  if (!reads) add_memory();
}

/// Those that limit the rate: a memory that acknowledges before it writes is the last one, and behind its queue.
std::span<const ProbeStage> counted_stages(const ProbeTime& time) {
  return std::span(time.stages).first(time.stages.size() - (time.posted ? 1 : 0));
}

}  // namespace

void check_probe_bytes(const MachineSpec& machine, Bytes bytes) {
  const Bytes packet = machine.simulation.packet;
  const bool has_sram = has_section(machine, "die.sram");
  Bytes most = std::min(machine.pe.tcm.capacity, machine.die.hbm.capacity);
  if (has_sram) most = std::min(most, machine.die.sram.capacity);
  const auto size = [](Bytes value) { return format_quantity(value, Dimension::kBytes); };
  if (bytes > 0 && bytes % packet == 0 && bytes <= most) return;
  throw ConfigError("expected a multiple of simulation.packet_bytes, " + size(packet) + ", of at most " + size(most) +
                    ", the smallest of pe.tcm.capacity" + (has_sram ? ", " : " and ") + "die.hbm.capacity" +
                    (has_sram ? " and die.sram.capacity" : "") + "; got " + size(bytes));
}

ProbeTime probe_time(const NetworkPlan& plan, const MachineSpec& machine, const ProbeTransfer& transfer) {
  const bool reads = transfer.direction == ProbeDirection::kRead;
  const bool from_host = plan.node(transfer.initiator).kind == NodeKind::kHost;
  const Path path(plan, machine, transfer);
  ProbeTime time;
  time.packets = transfer.bytes / machine.simulation.packet;
  const MemoryTerms memory = memory_terms(machine, plan.node(transfer.memory), transfer.direction, time.packets);
  time.window = machine.pe.dma.outstanding_bursts / (machine.simulation.packet / machine.die.hbm.burst);
  time.channel_turns = memory.turns;
  time.setup = from_host ? machine.system.io_processor : machine.pe.dma.setup;
  const Picoseconds message = zero_load_latency(plan, transfer.initiator, transfer.memory);
  (reads ? time.request : time.acknowledgement) = message;
  time.memory_service = memory.service;
  time.memory_latency = memory.latency;
  time.posted = memory.posted;
  time.slowest = path.slowest();
  time.way = path.way();
  time.round_trip = message + time.memory_latency + time.slowest + time.way;
  if (!time.posted) time.round_trip += time.memory_service;
  time.queueing = time.posted && memory.even ? posted_queueing(time, machine)
                                             : queueing(time, time.packets - 1, memory.even && !time.posted);
  if (!memory.even) {
    // Packets share channels unevenly: what the fullest channel has to do is all that is certain.
    if (!time.posted) time.queueing = std::max(time.queueing, memory.work - memory.service);
    time.bound_because = "neither of a packet's bursts and the pseudo-channels is a multiple of the other";
  }
  if (const NetworkLink* link = path.short_of_room(std::min(time.packets, time.window))) {
    time.bound_because = "the buffer behind " + link->name + " is too small for an unbroken flow";
  }
  time.time = time.setup + time.round_trip + time.queueing;
  time.limit = limit_of(time);
  const ProbeStage at_memory{static_cast<std::int32_t>(plan.links.size()) + transfer.memory,
                             plan.node(transfer.memory).name,
                             memory.bandwidth,
                             time.posted ? Picoseconds{} : memory.service,
                             memory.work,
                             {},
                             {},
                             memory.latency + (reads ? time.slowest + time.way : message)};
  add_stages(time, path, at_memory, reads);
  time.slowest_bandwidth = std::ranges::min(counted_stages(time), {}, &ProbeStage::bandwidth).bandwidth;
  return time;
}

ProbeContention probe_contention(const NetworkPlan& plan, const MachineSpec& machine,
                                 const std::vector<ProbeTransfer>& transfers) {
  struct Shared {
    std::string name;
    std::int32_t number = 0;
    Picoseconds first{std::numeric_limits<std::int64_t>::max()};
    Picoseconds rest = first;
    Picoseconds work;
  };
  std::map<std::int32_t, Shared> shared;
  std::vector<Bandwidth> capacities;
  std::vector<FlowResources> flows;
  ProbeContention result;
  result.bottleneck = "the slowest transfer alone";
  for (const ProbeTransfer& transfer : transfers) {
    const ProbeTime alone = probe_time(plan, machine, transfer);
    result.bound = std::max(result.bound, alone.time);
    result.alone.push_back(alone.time);
    FlowResources& flow = flows.emplace_back();
    for (const ProbeStage& stage : counted_stages(alone)) {
      const auto found = shared.try_emplace(stage.resource);
      Shared& at = found.first->second;
      if (found.second) {
        at.name = stage.name;
        at.number = static_cast<std::int32_t>(capacities.size());
        capacities.push_back(stage.bandwidth);
      }
      flow.push_back(at.number);
      at.first = std::min(at.first, stage.head);
      at.rest = std::min(at.rest, stage.rest);
      at.work += stage.work;
    }
  }
  for (const auto& entry : shared) {
    const Shared& at = entry.second;
    const Picoseconds bound = at.first + at.work + at.rest;
    if (bound <= result.bound) continue;
    result.bound = bound;
    result.bottleneck = at.name;
  }
  for (const double rate : max_min_rates(capacities, flows)) result.peak_gbs += rate / 1e9;
  return result;
}

}  // namespace kernbench
