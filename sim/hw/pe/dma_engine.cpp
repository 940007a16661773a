#include "sim/hw/pe/dma_engine.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/network/buffer_room.hpp"

namespace kernbench {
namespace {

/// Of the links on the way back from the PE's own HBM, by their bandwidth or by the room behind them.
Bandwidth link_rate(const MachineSpec& machine) {
  const DieSpec& die = machine.die;
  const Bytes packet = machine.simulation.packet;
  const Picoseconds service = die.router.link.time_for(packet);
  const Picoseconds round = room_round_trip(die.wire.delay(die.wire.hbm_to_router_um), die.router.hop, service);
  return std::min(die.router.link, room_rate(die.router.buffer, packet, round));
}

/// The packets of all blocks of a transfer, in their order. When the last has been given, the transfer may go.
class Packets {
 public:
  Packets(const Transfer& transfer, const DmaEngineSpec& spec, const Interleaving& interleaving)
      : transfer_(transfer),
        spec_(spec),
        interleaving_(interleaving),
        cursor_(cursor_of(transfer.block)),
        more_(cursor_.next(following_)) {}

  /// The next one, and whether it is the last; false after that.
  bool next(Packet& packet, bool& last) {
    if (ended_) return false;
    while (!more_ && block_ < transfer_.more.size()) {
      cursor_ = cursor_of(transfer_.more[block_++]);
      more_ = cursor_.next(following_);
    }
    if (!more_) return false;
    packet = following_;
    more_ = cursor_.next(following_);
    last = !more_ && block_ == transfer_.more.size();
    ended_ = last;
    return true;
  }

 private:
  [[nodiscard]] PacketCursor cursor_of(const Block& block) const {
    return {block, spec_.burst, spec_.packet_bursts, interleaving_};
  }

  const Transfer& transfer_;
  const DmaEngineSpec& spec_;
  Interleaving interleaving_;
  std::size_t block_ = 0;  // of `more`, those begun
  Packet following_{};
  PacketCursor cursor_;
  bool more_;
  bool ended_ = false;
};

}  // namespace

DmaEngineSpec dma_engine_spec(const MachineSpec& machine, Picoseconds setup) {
  const Bytes burst = machine.die.hbm.burst;
  const Bandwidth memory = hbm_bandwidth(machine.die);
  const Bandwidth link = link_rate(machine);
  const Cause links = link < memory ? Cause::kLinks : Cause::kHbm;
  const Cause port = machine.pe.tcm.write < std::min(link, memory) ? Cause::kTcmPort : links;
  return {setup, machine.pe.dma.outstanding_bursts, burst, machine.simulation.packet / burst, links, port};
}

DmaEngine::DmaEngine(const sc_core::sc_module_name& name, const Context& context, const DmaEngineSpec& spec,
                     std::initializer_list<Stage> stages)
    : sc_module(name),
      memory("memory"),
      calendar_(context.calendar),
      log_(context.log),
      routes_(context.routes),
      ledger_(context.ledger),
      spec_(spec),
      queue_(context.calendar, std::string(this->name()) + ".transfers", Phase::kChoosing),
      credits_(context.calendar, std::string(this->name()) + ".credits", spec.credits),
      process_(run()) {
  for (const Stage& stage : stages) channel(stage);
  process_.start(context.calendar);
}

OpChannel& DmaEngine::channel(const Stage& stage) {
  const auto open = std::ranges::find(channels_, stage, &OpChannel::stage);
  return open != channels_.end() ? **open : *channels_.emplace_back(&log_.open(name(), stage));
}

MemoryWay& DmaEngine::way_of(const Transfer& transfer) {
  if (transfer.route != nullptr) return *transfer.route;
  const MemoryNode node = transfer.block.memory;
  if (node == kOwnPartition) return *memory.operator->();
  KB_CHECK(routes_ != nullptr,
           std::string(name()) + ": an engine without routes is asked for memory " + std::to_string(node));
  return routes_->to(node);
}

Process DmaEngine::run() {
  Reason free = kNoReason;  // why it was free for the next transfer
  bool held = false;        // by credits, since it was last idle or issued a whole transfer without that
  for (;;) {
    Transfer next = co_await queue_.pop();
    InFlight& flight = in_flight_.emplace_back(InFlight{std::move(next), calendar_.now(), {}});
    const Transfer& transfer = flight.transfer;
    const Picoseconds ready = calendar_.now() + spec_.setup;
    const Cause setting_up = transfer.beside ? Cause::kContention : Cause::kSetup;
    free = flight.reason =
        tell(setting_up, calendar_.now(), ready, calendar_.now() > transfer.submitted ? free : transfer.reason);
    held &= calendar_.now() > transfer.submitted;
    const bool message = transfer.receiver != nullptr;
    MemoryAccess access;
    access.client = message ? transfer.receiver : this;
    MemoryWay& way = way_of(transfer);
    const Interleaving interleaving = way.interleaving();
    flight.in_order = interleaving.controllers > 1;
    access.route = &way.route_to(0);
    access.transfer = &flight;
    access.cargo = transfer.cargo.get();
    access.waits.setup = spec_.setup;
    bool waited = false;
    Bytes unsent = transfer.bytes;
    Packets packets(transfer, spec_, interleaving);
    while (packets.next(access.packet, access.last)) {
      if (flight.in_order) {
        access.route = &way.route_to(access.packet.first_burst);
        access.others = access.packet.first_burst - interleaving.burst_there(access.packet.first_burst);
      }
      access.bytes = access.packet.bursts * spec_.burst;
      if (message) {  // posted: its slot is its credit, and only its own bytes move
        access.bytes = std::min(access.bytes, unsent);
        unsent -= access.bytes;
        co_await calendar_.until(ready);
      } else {
        const Picoseconds asked = std::max(calendar_.now(), ready);
        co_await credits_.acquire(access.packet.bursts, ready);
        access.waits.credits = calendar_.now() - asked;
        waited |= credits_.held_by().has_value();
        held |= waited;
        free = credits_.held_by().value_or(free);
      }
      access.waits.issued = calendar_.now();
      access.waits.reason = free;
      access.waits.held = held;
      flight.moved += access.bytes;
      ++flight.under_way;
      flight.all_issued = access.last;
      const Picoseconds left = issue(access, transfer);
      if (message && access.last)
        finish(flight, left,
               tell(transfer.beside ? Cause::kContention : Cause::kDrain, transfer.submitted, left, transfer.reason));
      access.waits.setup = {};
    }
    held = waited;
  }
}

void DmaEngine::packet_done(const MemoryAccess& access, Picoseconds at, Reason reason) {
  credits_.release(access.packet.bursts, at, reason);
  InFlight& flight = flight_of(access);
  if (!flight.in_order) {
    if (access.last) finish(flight, at, reason);
    return;
  }
  if (at >= flight.through) {
    flight.through = at;
    flight.through_reason = reason;
  }
  --flight.under_way;
  finish_in_order();
}

void DmaEngine::finish_in_order() {
  const auto next = [this] {
    return std::ranges::find_if(in_flight_, [](const InFlight& flight) { return flight.in_order && !flight.done; });
  };
  for (auto flight = next(); flight != in_flight_.end() && flight->is_through(); flight = next()) {
    if (flight->through >= in_order_until_) {
      in_order_until_ = flight->through;
      in_order_reason_ = flight->through_reason;
    }
    finish(*flight, in_order_until_, in_order_reason_);
  }
}

void DmaEngine::finish(InFlight& flight, Picoseconds at, Reason reason) {
  flight.transfer.reason = reason;
  if (flight.transfer.listener != nullptr) flight.transfer.listener->transferred(flight.transfer, at);
  if (flight.transfer.done != nullptr) flight.transfer.done->complete(at, reason);
  flight.end = at;
  flight.done = true;
  // Records are written in the order of their starts, whatever memory answers first.
  for (; !in_flight_.empty() && in_flight_.front().done; in_flight_.pop_front()) {
    const InFlight& first = in_flight_.front();
    const Transfer& transfer = first.transfer;
    channel(transfer.stage)
        .record({first.start, first.end, transfer.bytes, 0, transfer.tile, transfer.composite, first.moved});
  }
}

DmaReader::DmaReader(const sc_core::sc_module_name& name, const Context& context, const DmaEngineSpec& spec,
                     TcmLink& tcm_write)
    : DmaEngine(name, context, spec, {kLoadStage, kDmaInStage}), tcm_write_(tcm_write) {}

Picoseconds DmaReader::issue(const MemoryAccess& access, const Transfer& /*transfer*/) {
  access.route->read(access, now());
  return now();
}

void DmaReader::read_arrived(const MemoryAccess& access, Flight flight) {
  calendar().note(flight.head);
  calendar().note(flight.tail);
  Picoseconds contention;
  const auto [head, there] = tcm_write_.carry(flight, access.bytes, access.from, &contention);
  if (access.cargo != nullptr) access.cargo->lands(access.packet, there);
  packet_done(access, there, delivered(access, {head - flight.head - contention, contention}, there));
}

Reason DmaReader::delivered(const MemoryAccess& access, const PortWait& port, Picoseconds at) {
  if (ledger() == nullptr) return kNoReason;
  const PacketWaits& waits = access.waits;
  const bool alone = waits.issued >= delivered_at_ && waits.credits == Picoseconds{};
  Picoseconds from = alone ? waits.issued : delivered_at_;
  if (at <= from) return delivery_;  // from another memory, behind what came later from this one
  if (flight_of(access).transfer.beside) return delivered_beside(from, at);
  Picoseconds left = at - from;
  const auto share = [&left](Picoseconds waited) {
    const Picoseconds taken = std::min(left, waited);
    left -= taken;
    return taken;
  };
  // Of each wait first what others took since its own packets, which came just before.
  Picoseconds contention = share(port.contention);
  const Picoseconds own_port = share(port.own);
  contention += share(waits.links_contention);
  const Picoseconds links = share(waits.links);
  contention += share(waits.memory_contention);
  const Picoseconds memory = share(waits.memory);
  const Picoseconds credits = share(waits.credits);
  const Picoseconds setup = alone ? Picoseconds{} : share(waits.setup);  // of a lone packet it was before the issue
  if (alone) delivery_ = flight_of(access).reason;
  const auto then = [&](Cause cause, Picoseconds length) {
    delivery_ = tell(cause, from, from + length, delivery_);
    from += length;
  };
  then(Cause::kSetup, setup);
  then(Cause::kCredits, credits);
  then(Cause::kLatency, left);
  then(Cause::kContention, contention);
  then(Cause::kHbm, memory);
  then(spec().links, links);
  then(spec().port, own_port);
  delivered_at_ = at;
  const Picoseconds waited =
      port.own + port.contention + waits.links + waits.links_contention + waits.memory + waits.memory_contention;
  if (waited == Picoseconds{} && !waits.held) {
    ledger()->came_by(delivery_, Cause::kLatency, waits.issued, waits.reason);
  }
  return delivery_;
}

Reason DmaReader::delivered_beside(Picoseconds from, Picoseconds at) {
  delivery_ = tell(Cause::kContention, from, at,
                   from == delivered_at_ ? delivery_ : ledger()->elsewhere(Cause::kContention, from));
  delivered_at_ = at;
  return delivery_;
}

void DmaReader::written(const MemoryAccess& /*access*/, Picoseconds /*at*/) {
  KB_CHECK(false, std::string(name()) + ": a reader does not write");
}

DmaWriter::DmaWriter(const sc_core::sc_module_name& name, const Context& context, const DmaEngineSpec& spec,
                     TcmLink& tcm_read, Tokens& buffers)
    : DmaEngine(name, context, spec, {kDmaOutStage, kStoreOutStage}), tcm_read_(tcm_read), buffers_(buffers) {}

Picoseconds DmaWriter::issue(const MemoryAccess& access, const Transfer& transfer) {
  const Flight out = tcm_read_.carry({now(), now()}, access.bytes);
  calendar().note(out.tail);
  if (access.cargo != nullptr) access.cargo->leaves(access.packet, out.tail);
  if (access.last && transfer.stage == kDmaOutStage) {
    buffers_.release(1, out.tail, leave(left_, transfer, out.tail));
  }
  access.route->write(access, out);
  return out.tail;
}

Reason DmaWriter::leave(Leaving& before, const Transfer& transfer, Picoseconds at, Picoseconds contention) {
  const bool queued = transfer.submitted < before.at;
  const Picoseconds from = queued ? before.at : transfer.submitted;
  const Picoseconds shared = transfer.beside ? at : std::clamp(from + contention, from, std::max(from, at));
  Reason reason = tell(Cause::kContention, from, shared, queued ? before.reason : transfer.reason);
  reason = tell(Cause::kDrain, shared, at, reason);
  if (at > before.at) before = {at, reason};
  return reason;
}

void DmaWriter::read_arrived(const MemoryAccess& /*access*/, Flight /*flight*/) {
  KB_CHECK(false, std::string(name()) + ": a writer does not read");
}

void DmaWriter::written(const MemoryAccess& access, Picoseconds at) {
  if (access.cargo != nullptr) access.cargo->lands(access.packet, at);
  const Picoseconds acknowledged = at + access.route->latency();
  const Transfer& transfer = flight_of(access).transfer;
  packet_done(access, acknowledged, leave(written_, transfer, acknowledged, access.waits.links_contention));
}

}  // namespace kernbench
