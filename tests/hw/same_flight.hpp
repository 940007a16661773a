#pragma once

#include <cstdint>

#include "sim/hw/link/link.hpp"

/// Whether the head and the tail of a packet are there at these picoseconds.
[[nodiscard]] inline bool same(kernbench::Flight flight, std::int64_t head, std::int64_t tail) {
  return flight.head == kernbench::Picoseconds{head} && flight.tail == kernbench::Picoseconds{tail};
}
