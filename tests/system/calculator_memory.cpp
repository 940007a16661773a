// The calculator's memory system: see calculator_memory.hpp.
#include "tests/system/calculator_memory.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace kernbench::calculator {
namespace {

Time wire(const DieSpec& die, std::int64_t um) { return ceil_mul_div(um, die.wire.per_mm.value, 1000); }
Time pe_wire(const DieSpec& die) { return wire(die, die.wire.pe_to_router_um); }
Time hbm_wire(const DieSpec& die) { return wire(die, die.wire.hbm_to_router_um); }

}  // namespace

Span Link::cross(Span in, Bytes bytes) {
  const Time start = std::max(in.head, free_);
  free_ = std::max(start + bandwidth_.time_for(bytes).value, in.tail);
  return {start + latency_, free_ + latency_};
}

PseudoChannels::PseudoChannels(const HbmSpec& hbm)
    : burst_time_(ceil_mul_div(hbm.burst * hbm.pseudo_channels, kPicosecondsPerSecond, hbm.bandwidth.bytes_per_second)),
      turnaround_(hbm.turnaround.value),
      batch_(static_cast<std::size_t>(hbm.write_batch)),
      queue_(static_cast<std::size_t>(hbm.write_queue)),
      channels_(static_cast<std::size_t>(hbm.pseudo_channels)) {}

std::vector<PseudoChannels::Share> PseudoChannels::shares(const Packet& packet) {
  const auto count = static_cast<std::int64_t>(channels_.size());
  std::vector<Share> result;
  for (std::int64_t i = 0; i < std::min(packet.bursts, count); ++i) {
    result.push_back({&channels_[static_cast<std::size_t>((packet.first_burst + i) % count)],
                      packet.bursts / count + (i < packet.bursts % count ? 1 : 0)});
  }
  return result;
}

Time PseudoChannels::begin(const Channel& channel, Kind kind, Time from) const {
  const bool turn = channel.last != Kind::kNone && channel.last != kind;
  return std::max(from, channel.busy_until + (turn ? turnaround_ : 0));
}

Time PseudoChannels::put(Channel& channel, Kind kind, Time from) const {
  channel.busy_until = begin(channel, kind, from) + burst_time_;
  channel.last = kind;
  return channel.busy_until;
}

void PseudoChannels::idle(Channel& channel, Time until) const {
  while (channel.begun < channel.writes.size()) {
    Write& next = channel.writes[channel.begun];
    if (begin(channel, Kind::kWrite, next.taken) >= until) return;
    next.end = put(channel, Kind::kWrite, next.taken);
    ++channel.begun;
  }
}

Time PseudoChannels::read(const Packet& packet, Time arrival) {
  Time served = 0;
  for (const auto& [channel, bursts] : shares(packet)) {
    idle(*channel, arrival);
    for (std::int64_t i = 0; i < bursts; ++i) served = std::max(served, put(*channel, Kind::kRead, arrival));
  }
  return served;
}

Time PseudoChannels::room(const Packet& packet, Time from) {
  Time at = from;
  for (const Share& share : shares(packet)) {
    // Writes that wait end last, at times not known yet: they are fewer than a batch, so fewer than the queue.
    std::vector<Time> ends;
    for (const Write& write : share.channel->writes) ends.push_back(write.end);
    std::sort(ends.begin(), ends.end(), std::greater<>());
    // All but queue - 1 of them have to be over.
    if (ends.size() >= queue_) at = std::max(at, ends[queue_ - 1]);
  }
  return at;
}

void PseudoChannels::take(const Packet& packet, Time at) {
  for (const auto& [channel, bursts] : shares(packet)) {
    idle(*channel, at);
    channel->writes.insert(channel->writes.end(), static_cast<std::size_t>(bursts), Write{at, kUnknown});
    if (channel->writes.size() - channel->begun >= batch_) idle(*channel, kUnknown);
  }
}

DmaEngine::DmaEngine(const MachineSpec& machine, bool write)
    : write_(write),
      burst_(machine.die.hbm.burst),
      setup_(machine.pe.dma.setup.value),
      read_latency_(machine.die.hbm.read_latency.value),
      distance_(pe_wire(machine.die) + machine.die.router.hop.value + hbm_wire(machine.die)),
      // The router's hop is paid on leaving it: by the second link of either direction (4.9, 4.10).
      first_link_(machine.die.router.link, write ? pe_wire(machine.die) : hbm_wire(machine.die)),
      second_link_(machine.die.router.link,
                   machine.die.router.hop.value + (write ? hbm_wire(machine.die) : pe_wire(machine.die))),
      port_(write ? machine.pe.tcm.read : machine.pe.tcm.write, 0),
      credits_(machine.pe.dma.outstanding_bursts) {}

void DmaEngine::submit(std::vector<Packet> packets, Bytes bytes, Time at) {
  Transfer transfer;
  transfer.packets = std::move(packets);
  transfer.bytes = bytes;
  transfer.submitted = at;
  transfers_.push_back(std::move(transfer));
}

bool DmaEngine::issue_next() {
  if (current_ == transfers_.size()) return false;
  Transfer& transfer = transfers_[current_];
  if (transfer.issued == 0) transfer.taken_up = std::max(transfer.submitted, last_issue_);
  const Packet& packet = transfer.packets[transfer.issued];
  Time at = transfer.issued == 0 ? transfer.taken_up + setup_ : last_issue_;

  // 4.12: the credits there at `at`, and then as they come back, which is in the order of issue: reads cross the same
  // links one after the other (4.9), writes are taken in one after the other (4.16).
  auto back = coming_back_.begin();
  std::int64_t credits = credits_;
  for (; back != coming_back_.end() && (back->first <= at || credits < packet.bursts); ++back) {
    credits += back->second;
    at = std::max(at, back->first);
  }
  if (credits < packet.bursts) return false;
  coming_back_.erase(coming_back_.begin(), back);
  credits_ = credits - packet.bursts;

  last_issue_ = at;
  Time arrival = at + distance_;
  if (write_) {  // 4.10
    const Bytes bytes = packet.bursts * burst_;
    const Span left = port_.cross({at, at}, bytes);
    arrival = second_link_.cross(first_link_.cross(left, bytes), bytes).tail;
    if (transfer.issued + 1 == transfer.packets.size()) transfer.left_port = left.tail;
  }
  waiting_.push_back({current_, packet, arrival});
  if (++transfer.issued == transfer.packets.size()) {
    transfer.last_issue = at;
    ++current_;
  }
  return true;
}

Time DmaEngine::next_arrival() const {
  return first_waiting_ == waiting_.size() ? kUnknown : waiting_[first_waiting_].arrival;
}

Time DmaEngine::next_turn(PseudoChannels& channels) const {
  const Time arrival = next_arrival();
  if (!write_ || arrival == kUnknown) return arrival;
  return channels.room(waiting_[first_waiting_].packet, std::max(arrival, last_taken_));
}

void DmaEngine::serve_next(PseudoChannels& channels) {
  const Time turn = next_turn(channels);
  const Waiting& next = waiting_[first_waiting_++];
  const Bytes bytes = next.packet.bursts * burst_;
  Time done = 0;
  if (write_) {  // 4.10
    channels.take(next.packet, turn);
    last_taken_ = turn;
    done = turn + distance_;
  } else {  // 4.9
    const Time ready = channels.read(next.packet, turn) + read_latency_;
    done = port_.cross(second_link_.cross(first_link_.cross({ready, ready}, bytes), bytes), bytes).tail;
  }
  coming_back_.emplace(done, next.packet.bursts);
  Transfer& transfer = transfers_[next.transfer];
  transfer.latest_done = std::max(transfer.latest_done, done);
  ++transfer.served;
}

}  // namespace kernbench::calculator
