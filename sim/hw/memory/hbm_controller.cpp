#include "sim/hw/memory/hbm_controller.hpp"

#include <algorithm>

namespace kernbench {

namespace {

const RegisterMemoryModel kPseudoChannels({std::string(kPseudoChannelModel),
                                           "pseudo-channels that gather writes, as the keys of die.hbm say",
                                           make_partition<HbmController>});

}  // namespace

HbmController::HbmController(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec)
    : sc_module(name),
      calendar_(calendar),
      interleaved_(spec.burst * spec.pseudo_channels),
      read_latency_(spec.read_latency),
      channels_(spec),
      alarm_(calendar, [this] { serve(); }) {}

Bytes HbmController::follow(Repetition& repetition) {
  channels_.follow(repetition);
  repetition.ask([this, &repetition] { channels_.note_state(repetition, calendar_.now()); });
  return interleaved_;
}

void HbmController::note(const Packet& packet, Picoseconds at) {
  Repetition* const repetition = calendar_.repetition();
  if (repetition == nullptr) return;
  repetition->note(at - calendar_.now());
  repetition->note(channels_.of(packet));
}

void HbmController::read(const MemoryAccess& access, Picoseconds arrival) {
  reads_.push({access, Access::kRead, arrival});
  alarm_.at(arrival);
}

void HbmController::write(const MemoryAccess& access, Flight arrival) {
  note(access.at_controller(), arrival.tail);
  writes_.push({access, Access::kWrite, arrival.tail});
  alarm_.at(arrival.tail);
}

void HbmController::serve() {
  const Picoseconds now = calendar_.now();
  while (reads_.there(now)) {
    MemoryAccess access = reads_.pop().access;
    Picoseconds contention;
    const Picoseconds end = channels_.read(access.at_controller(), now, access.from, &contention);
    note(access.at_controller(), end);
    const Picoseconds waited = end - now - channels_.unhindered(access.packet);
    access.waits.memory_contention = std::min(contention, waited);
    access.waits.memory = waited - access.waits.memory_contention;
    access.route->answer(access, end + read_latency_);
  }
  Picoseconds next = reads_.next();
  while (writes_.there(now)) {
    const Picoseconds room = channels_.room_at(writes_.front().access.at_controller(), now);
    if (room > now) {  // those behind it wait too
      next = std::min(next, room);
      break;
    }
    const MemoryAccess access = writes_.pop().access;
    channels_.write(access.at_controller(), now, access.from);
    access.route->taken(access, now);
    access.client->written(access, now);
  }
  if (!writes_.there(now)) next = std::min(next, writes_.next());
  if (next != kForever) alarm_.at(next);
}

}  // namespace kernbench
