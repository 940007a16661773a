#include "sim/plan/network/slot_room.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/quantity.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/network/link_path.hpp"

namespace kernbench {
namespace {

/// How long somebody waits at most, who waits for a piece or a credit, after it has come (19.4).
Picoseconds notice(const MessageQueueSpec& queue) {
  return queue.wait == ReceiveWait::kSleep ? queue.wake : queue.poll_interval;
}

}  // namespace

SlotRoom slot_room(const NetworkPlan& plan, const MachineSpec& machine, std::int32_t from, std::int32_t to) {
  const PeSpec& pe = machine.pe;
  const MessageQueueSpec& queue = pe.message_queue;
  SlotRoom room;
  room.bandwidth = std::min(pe.tcm.read, pe.tcm.write);
  const NetworkLink* slowest = nullptr;
  for (const NetworkChannel& channel : link_path(plan, from, to)) {
    const NetworkLink& link = plan.link(channel.link);
    if (slowest == nullptr || link.bandwidth < slowest->bandwidth) slowest = &link;
  }
  room.link = slowest->name;
  room.bandwidth = std::min(room.bandwidth, slowest->bandwidth);
  const Picoseconds piece = room.bandwidth.time_for(queue.slot);
  room.round_trip = pe.dma.setup + zero_load_latency(plan, from, to) + piece + notice(queue) +
                    zero_load_latency(plan, to, from, queue.credit) + notice(queue);
  if (queue.consumer == SlotConsumer::kVectorUnit) {
    room.round_trip += pe.clock.time_for(ceil_div(queue.slot / kElementBytes, pe.vector.lanes));
  }
  room.slots = ceil_div(room.round_trip.value, piece.value);
  const double held = static_cast<double>(queue.slots) * static_cast<double>(piece.value);
  room.share = std::min(1.0, held / static_cast<double>(room.round_trip.value));
  return room;
}

std::vector<std::string> slot_notes(const NetworkPlan& plan, const MachineSpec& machine) {
  if (!has_section(machine, "pe.message_queue")) return {};
  const MessageQueueSpec& queue = machine.pe.message_queue;
  const std::int32_t first = plan.find(NodeKind::kPe, {0, 0, 0});
  std::vector<std::string> notes;
  const auto size = [](Bytes bytes) { return format_quantity(bytes, Dimension::kBytes); };
  for (const NodeLocation& neighbour : std::array<NodeLocation, 3>{{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}}) {
    if (neighbour.router >= plan.numbers.die_routers) continue;
    const std::int32_t to = plan.find(NodeKind::kPe, neighbour);
    if (to < 0) continue;
    const SlotRoom room = slot_room(plan, machine, first, to);
    if (room.slots <= queue.slots) continue;
    const std::string percent = std::to_string(std::llround(100 * room.share)) + " %";
    notes.push_back("pe.message_queue: " + std::to_string(queue.slots) + " slots of " + size(queue.slot) + " hold " +
                    size(queue.slots * queue.slot) + " in flight from " + plan.node(first).name + " to " +
                    plan.node(to).name + ": " + percent + " of the link " + room.link + " (" +
                    format_quantity(room.bandwidth.bytes_per_second, Dimension::kBandwidth) + " over a round trip of " +
                    format_quantity(room.round_trip.value, Dimension::kTime) + "); " +
                    (queue.tier == MemoryTier::kTcm ? "" : "at least ") + std::to_string(room.slots) +
                    " slots would do");
  }
  return notes;
}

}  // namespace kernbench
