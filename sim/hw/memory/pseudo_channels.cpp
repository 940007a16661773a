#include "sim/hw/memory/pseudo_channels.hpp"

#include <algorithm>

#include "sim/engine/calendar.hpp"

namespace kernbench {

PseudoChannels::PseudoChannels(const HbmSpec& spec)
    : burst_time_(spec.burst_time()),
      turnaround_(spec.turnaround),
      batch_(spec.write_batch),
      room_(spec.write_queue),
      channels_(static_cast<std::size_t>(spec.pseudo_channels)) {}

void PseudoChannels::follow(Repetition& repetition) {
  repetition.count(bursts_);
  for (Channel& channel : channels_) repetition.count(channel.busy.value);
}

void PseudoChannels::note_state(Repetition& repetition, Picoseconds now) {
  const auto ahead = [&](Picoseconds at) { repetition.note(std::max(at - now, -1 * turnaround_)); };
  for (Channel& channel : channels_) {
    begin_writes(channel, now);
    ahead(channel.free_at);
    repetition.note(static_cast<std::uint64_t>(channel.last) + (channel.used ? 2 : 0));
    for (std::size_t i = 0; i < channel.gathered.size(); ++i) {
      const Writes& writes = channel.gathered[i];
      for (std::int64_t burst = 0; burst < writes.bursts; ++burst) ahead(writes.at);
    }
    end_writes(channel, now);
    for (std::size_t i = 0; i < channel.under_way.size(); ++i) {
      const Run& run = channel.under_way[i];
      for (std::int64_t burst = 0; burst < run.bursts; ++burst) ahead(run.first_end + burst * burst_time_);
    }
    repetition.note(static_cast<std::uint64_t>(channel.waiting));
  }
}

template <class Serve>
void PseudoChannels::for_each_channel(const Packet& packet, Serve serve) {
  const auto count = static_cast<std::int64_t>(channels_.size());
  const std::int64_t whole = packet.bursts / count;  // bursts that every channel gets
  const std::int64_t extra = packet.bursts % count;  // channels that get one more
  const std::int64_t used = whole > 0 ? count : extra;
  for (std::int64_t i = 0; i < used; ++i) {
    serve(channels_[static_cast<std::size_t>((packet.first_burst + i) % count)], whole + (i < extra ? 1 : 0));
  }
}

/// When a burst that is there from `from` on may start.
Picoseconds PseudoChannels::start(const Channel& channel, Access access, Picoseconds from) const {
  const bool turns = channel.used && channel.last != access;
  return std::max(from, channel.free_at + (turns ? turnaround_ : Picoseconds{}));
}

void PseudoChannels::begin_writes(Channel& channel, Picoseconds end) const {
  while (!channel.gathered.empty()) {
    Writes& next = channel.gathered.front();
    const Picoseconds begin = start(channel, Access::kWrite, next.at);
    if (begin >= end) return;
    const std::int64_t bursts = std::min(next.bursts, ceil_div((end - begin).value, burst_time_.value));
    channel.free_at = begin + bursts * burst_time_;
    channel.last = Access::kWrite;
    channel.used = true;
    channel.busy += bursts * burst_time_;
    channel.under_way.push_back({begin + burst_time_, bursts});
    channel.going += bursts;
    channel.waiting -= bursts;
    channel.sharing.served(next.user, channel.free_at);
    next.bursts -= bursts;
    if (next.bursts == 0) channel.gathered.pop_front();
  }
}

void PseudoChannels::end_writes(Channel& channel, Picoseconds at) const {
  while (!channel.under_way.empty() && channel.under_way.front().first_end <= at) {
    Run& run = channel.under_way.front();
    const std::int64_t over = std::min(run.bursts, (at - run.first_end).value / burst_time_.value + 1);
    channel.going -= over;
    run.first_end += over * burst_time_;
    run.bursts -= over;
    if (run.bursts == 0) channel.under_way.pop_front();
  }
}

Picoseconds PseudoChannels::read(const Packet& packet, Picoseconds arrival, std::int32_t user,
                                 Picoseconds* contention) {
  bursts_ += packet.bursts;
  Picoseconds end = arrival;
  for_each_channel(packet, [&](Channel& channel, std::int64_t bursts) {
    if (!channel.gathered.empty()) begin_writes(channel, arrival);
    const Picoseconds begin = start(channel, Access::kRead, arrival);
    channel.free_at = begin + bursts * burst_time_;
    channel.last = Access::kRead;
    channel.used = true;
    channel.busy += bursts * burst_time_;
    if (channel.free_at > end) {
      end = channel.free_at;
      if (contention != nullptr) *contention = channel.sharing.wait(user, arrival, begin);
    }
    channel.sharing.served(user, channel.free_at);
  });
  return end;
}

Picoseconds PseudoChannels::room_at(const Packet& packet, Picoseconds at) {
  Picoseconds room = at;
  for_each_channel(packet, [&](Channel& channel, std::int64_t /*bursts*/) {
    begin_writes(channel, at);
    end_writes(channel, at);
    // Fewer than a batch are gathered, and a batch fits: enough of what is held is on the channel, with a known end.
    std::int64_t too_many = channel.waiting + channel.going - room_;
    if (too_many < 0) return;
    std::size_t run = 0;
    for (; too_many >= channel.under_way[run].bursts; ++run) too_many -= channel.under_way[run].bursts;
    room = std::max(room, channel.under_way[run].first_end + too_many * burst_time_);
  });
  return room;
}

void PseudoChannels::write(const Packet& packet, Picoseconds at, std::int32_t user) {
  bursts_ += packet.bursts;
  for_each_channel(packet, [&](Channel& channel, std::int64_t bursts) {
    begin_writes(channel, at);
    channel.gathered.push_back({at, user, bursts});
    channel.waiting += bursts;
    if (channel.waiting >= batch_) begin_writes(channel, kForever);
  });
}

double PseudoChannels::busy_ns(Picoseconds end) const {
  double busy = 0;
  for (Channel channel : channels_) {  // a copy: what begins until then begins in it alone
    begin_writes(channel, end);
    Picoseconds later;  // of writes that go on
    for (std::size_t i = 0; i < channel.under_way.size(); ++i) {
      const Run& run = channel.under_way[i];
      for (std::int64_t burst = 0; burst < run.bursts; ++burst) {
        later += std::clamp(run.first_end + burst * burst_time_ - end, Picoseconds{}, burst_time_);
      }
    }
    busy += (channel.busy - later).ns();
  }
  return busy;
}

}  // namespace kernbench
