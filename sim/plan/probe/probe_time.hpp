// What a transfer over a network that is otherwise idle takes, in closed form (adr/0021), and what several at once take
// at least.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

enum class ProbeDirection : std::uint8_t { kRead, kWrite };

/// `bytes` from address 0 of a memory on, read or written by a PE's or a host's DMA engine.
struct ProbeTransfer {
  std::int32_t initiator = 0;  ///< node of a PE or host
  std::int32_t memory = 0;     ///< node of an HBM controller or SRAM
  ProbeDirection direction = ProbeDirection::kRead;
  Bytes bytes = 0;
};

/// One of the things that a transfer's packets pass one after the other, on their way with the data.
struct ProbeStage {
  std::int32_t resource = 0;  ///< the same number for the same link, memory or TCM port, in any transfer of a machine
  std::string name;
  Bandwidth bandwidth;
  Picoseconds service;  ///< of one packet
  Picoseconds work;     ///< of all packets, one after the other; of an HBM: on the fullest pseudo-channel
  Picoseconds head;     ///< when the first packet's head is there and may enter
  Picoseconds tail;     ///< when its last byte has left
  Picoseconds rest;     ///< from when a packet's last byte has left to the packet's completion, at the least
};

/// The terms of 21.4.
struct ProbeTime {
  std::int64_t packets = 0;
  std::int64_t window = 0;         ///< packets that the credits allow in flight
  std::int64_t channel_turns = 1;  ///< packets from one to the next on the same pseudo-channels
  Picoseconds setup;               ///< the DMA engine's, or the IO processor's
  Picoseconds request;             ///< of a read, one way
  Picoseconds memory_service;      ///< of one packet
  bool posted = false;             ///< an HBM write: acknowledged when it is taken in, before its service
  Picoseconds memory_latency;
  Picoseconds slowest;          ///< one packet on the slowest link or TCM port of the path
  Picoseconds way;              ///< wires, ports and hops, one way with the data
  Picoseconds acknowledgement;  ///< of a write, one way
  Picoseconds round_trip;       ///< of one packet: the sum of all but the set-up, and but the service where posted
  Picoseconds queueing;         ///< what packets after the first add
  Picoseconds time;             ///< from the command to the last delivery or acknowledgement
  std::string limit;            ///< what more of would help most: "latency", "credits", "memory" or "link" (21.9)
  std::string bound_because;    ///< why `time` is a lower bound only; empty where it is exact
  Bandwidth slowest_bandwidth;  ///< of the path's slowest link, TCM port or memory; where posted, without the memory
  std::vector<ProbeStage> stages;
};

/// Throws ConfigError where the bytes are no positive multiple of the machine's packet, or more than a memory on the
/// way holds.
void check_probe_bytes(const MachineSpec& machine, Bytes bytes);

/// For a checked number of bytes.
[[nodiscard]] ProbeTime probe_time(const NetworkPlan& plan, const MachineSpec& machine, const ProbeTransfer& transfer);

/// Transfers that start at the same instant.
struct ProbeContention {
  Picoseconds bound;               ///< the last is complete no earlier
  double peak_gbs = 0;             ///< sum of the max-min fair rates over links, TCM ports and memories
  std::vector<Picoseconds> alone;  ///< by transfer: its time if it were alone
  std::string bottleneck;          ///< what makes up the bound: a resource, or "the slowest transfer alone"
};
[[nodiscard]] ProbeContention probe_contention(const NetworkPlan& plan, const MachineSpec& machine,
                                               const std::vector<ProbeTransfer>& transfers);

}  // namespace kernbench
