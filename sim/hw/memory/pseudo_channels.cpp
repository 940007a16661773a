#include "sim/hw/memory/pseudo_channels.hpp"

#include <algorithm>

namespace kernbench {

PseudoChannels::PseudoChannels(const HbmSpec& spec)
    : burst_time_(spec.burst_time()),
      turnaround_(spec.turnaround),
      channels_(static_cast<std::size_t>(spec.pseudo_channels)) {}

Picoseconds PseudoChannels::serve(const Packet& packet, Access access, Picoseconds arrival) {
  const auto count = static_cast<std::int64_t>(channels_.size());
  const std::int64_t whole = packet.bursts / count;  // bursts that every channel gets
  const std::int64_t extra = packet.bursts % count;  // channels that get one more
  const std::int64_t used = whole > 0 ? count : extra;
  bursts_ += packet.bursts;
  Picoseconds end = arrival;
  for (std::int64_t i = 0; i < used; ++i) {
    Channel& channel = channels_[static_cast<std::size_t>((packet.first_burst + i) % count)];
    const bool turns = channel.used && channel.last != access;
    const Picoseconds start = std::max(arrival, channel.free_at + (turns ? turnaround_ : Picoseconds{}));
    channel = {start + (whole + (i < extra ? 1 : 0)) * burst_time_, access, true};
    end = std::max(end, channel.free_at);
  }
  return end;
}

}  // namespace kernbench
