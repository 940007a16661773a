#include "sim/plan/network/package_clock.hpp"

#include <algorithm>

namespace kernbench {

namespace {

std::int64_t rate_at(std::int64_t rate, std::int64_t clock) {
  // Less than 2^63, as the rate is, wherever the clock is not raised beyond what it holds.
  const std::int64_t rounded_up = ceil_mul_div(rate, clock, kOwnClock);
  const bool exact = static_cast<Int128>(rounded_up) * kOwnClock == static_cast<Int128>(rate) * clock;
  return std::max<std::int64_t>(exact ? rounded_up : rounded_up - 1, 1);
}

void scale(Picoseconds& time, std::int64_t clock) { time.value = ceil_mul_div(time.value, kOwnClock, clock); }
void scale(Bandwidth& bandwidth, std::int64_t clock) {
  bandwidth.bytes_per_second = rate_at(bandwidth.bytes_per_second, clock);
}

}  // namespace

MachineSpec at_clock(const MachineSpec& machine, std::int64_t clock) {
  MachineSpec scaled = machine;
  if (clock == kOwnClock) return scaled;
  PeSpec& pe = scaled.pe;
  DieSpec& die = scaled.die;
  pe.clock.hertz = rate_at(pe.clock.hertz, clock);
  for (Picoseconds* time : {&pe.control, &pe.scheduler, &pe.dma.setup, &die.hbm.read_latency, &die.hbm.turnaround,
                            &die.sram.latency, &die.router.hop}) {
    scale(*time, clock);
  }
  for (Bandwidth* bandwidth :
       {&pe.tcm.read, &pe.tcm.write, &pe.fetch, &pe.store, &die.hbm.bandwidth, &die.sram.bandwidth, &die.router.link}) {
    scale(*bandwidth, clock);
  }
  if (pe.store_accumulates()) scale(pe.accumulate, clock);
  return scaled;
}

void set_clocks(NetworkPlan& plan, const std::vector<std::int64_t>& clocks) {
  if (clocks.empty()) return;
  const auto clock_of = [&](std::int32_t package) {
    return package < 0 ? kOwnClock : clocks.at(static_cast<std::size_t>(package));
  };
  for (NetworkNode& node : plan.nodes) {
    if (const std::int64_t clock = clock_of(node.at.package); clock != kOwnClock) scale(node.hop, clock);
  }
  for (NetworkLink& link : plan.links) {
    const std::int32_t package = plan.node(link.from).at.package;
    const std::int64_t clock = clock_of(package);
    if (package != plan.node(link.to).at.package || clock == kOwnClock) continue;
    scale(link.latency, clock);
    scale(link.bandwidth, clock);
  }
}

}  // namespace kernbench
