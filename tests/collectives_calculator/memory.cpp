#include "tests/collectives_calculator/memory.hpp"

#include <algorithm>
#include <tuple>

namespace calc {

void Memory::arrive(Access access, Time at) {
  calendar_.at(at, [this, access = std::move(access)]() mutable {
    arrived_.push_back(std::move(access));
    wake(calendar_.now());
  });
}

void Memory::wake(Time at) {
  if (at >= pending_) return;
  pending_ = at;
  calendar_.at(at, Phase::choosing, [this] { decide(); });
}

void Memory::decide() {  // 4.17
  if (pending_ == calendar_.now()) pending_ = never;
  std::vector<Access> now = std::move(arrived_);
  arrived_.clear();
  std::stable_sort(now.begin(), now.end(), [](const Access& a, const Access& b) {
    return std::tuple(a.write, a.asker, a.order) < std::tuple(b.write, b.asker, b.order);
  });
  for (Access& access : now) access.write ? write(access) : read(access);
  settle();
}

Time Sram::serve(Bytes bytes) {
  free_ = std::max(free_, calendar_.now()) + duration(bytes, machine_.sram_bandwidth);
  return free_;
}

Hbm::Hbm(Calendar& calendar, const Machine& machine)
    : Memory(calendar),
      machine_(machine),
      burst_time_(duration(machine.burst * machine.pseudo_channels, machine.hbm_bandwidth)),
      channels_(machine.pseudo_channels) {}

Time Hbm::free_for(const Channel& channel, int kind) const {  // 4.5
  return channel.end + (channel.last >= 0 && channel.last != kind ? machine_.turnaround : 0);
}

Time Hbm::put(Channel& channel, int kind) {
  channel.end = std::max(calendar_.now(), free_for(channel, kind)) + burst_time_;
  channel.last = kind;
  return channel.end;
}

void Hbm::read(Access& access) {  // 4.5, 4.6
  Time served = 0;
  for (int i = 0; i < access.bursts; ++i) served = std::max(served, put(channel_of(access.burst + i), 0));
  access.ready(served + machine_.hbm_read_latency);
}

bool Hbm::room(const Access& access) {  // 4.16
  for (int i = 0; i < std::min(access.bursts, machine_.pseudo_channels); ++i) {
    Channel& channel = channel_of(access.burst + i);
    while (!channel.ends.empty() && channel.ends.front() <= calendar_.now()) channel.ends.pop_front();
    if (channel.waiting + static_cast<int>(channel.ends.size()) >= machine_.write_queue) return false;
  }
  return true;
}

void Hbm::put_batch(Channel& channel) {  // 4.15
  if (channel.waiting < machine_.write_batch) return;
  for (; channel.waiting > 0; --channel.waiting) channel.ends.push_back(put(channel, 1));
}

void Hbm::settle() {  // 4.15 to 4.17
  const Time now = calendar_.now();
  while (!outside_.empty() && room(outside_.front())) {
    const Access& access = outside_.front();
    for (int i = 0; i < access.bursts; ++i) ++channel_of(access.burst + i).waiting;
    for (int i = 0; i < access.bursts; ++i) put_batch(channel_of(access.burst + i));
    access.taken(now, now);
    outside_.pop_front();
  }
  Time next = never;
  for (Channel& channel : channels_) {
    if (channel.waiting > 0 && free_for(channel, 1) <= now) {
      --channel.waiting;
      channel.ends.push_back(put(channel, 1));
    }
    if (channel.waiting > 0) next = std::min(next, free_for(channel, 1));
    while (!channel.ends.empty() && channel.ends.front() <= now) channel.ends.pop_front();
    if (!outside_.empty() && !channel.ends.empty()) next = std::min(next, channel.ends.front());
  }
  if (next != never) wake(next);
}

}  // namespace calc
