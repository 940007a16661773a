// Whether the buffers of a machine's network have room enough for packets of the size it is simulated with
// (adr/0020, 20.14).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// Packets that a buffer has room for: at least two (17.4).
[[nodiscard]] constexpr std::int64_t packets_held(Bytes buffer, Bytes packet) {
  return std::max(buffer, 2 * packet) / packet;
}

/// From when a packet that takes `service` enters a link until the room that it takes behind the link is its sender's
/// again, where it goes on at once after the `hop` of the router or switch (21.5).
[[nodiscard]] constexpr Picoseconds room_round_trip(Picoseconds latency, Picoseconds hop, Picoseconds service) {
  return 2 * latency + hop + service;
}

/// What a link carries at most whose buffer's room comes back after `round`.
[[nodiscard]] inline Bandwidth room_rate(Bytes buffer, Bytes packet, Picoseconds round) {
  return {ceil_mul_div(packets_held(buffer, packet) * packet, kPicosecondsPerSecond, round.value)};
}

/// A warning for each kind of link whose buffer holds fewer packets than an unbroken flow over it needs (21.5). Each
/// names the key, what the buffer holds, what it would need, and the cure.
[[nodiscard]] std::vector<std::string> buffer_warnings(const MachineSpec& machine);

}  // namespace kernbench
