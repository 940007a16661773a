// A route of links of its own: what one PE alone has to its memory. Nothing else can get in the way, so all times along
// it are known at once.
#pragma once

#include <utility>

#include "sim/hw/memory/memory_port.hpp"

namespace kernbench {

class DirectRoute : public MemoryRoute {
 public:
  DirectRoute(MemoryPort& memory, Path to_memory, Path to_pe, Picoseconds latency)
      : memory_(memory), to_memory_(std::move(to_memory)), to_pe_(std::move(to_pe)), latency_(latency) {}

  [[nodiscard]] Picoseconds latency() const override { return latency_; }
  void read(const MemoryAccess& access, Picoseconds at) override { memory_.read(access, at + latency_); }
  void write(const MemoryAccess& access, Flight out) override {
    memory_.write(access, to_memory_.carry(out, access.bytes));
  }
  void taken(const MemoryAccess& /*access*/, Picoseconds /*at*/) override {}

 private:
  void carry_back(const MemoryAccess& access, Picoseconds ready) override {
    const Flight there = to_pe_.carry({ready, ready}, access.bytes);
    MemoryAccess arrived = access;
    arrived.waits.links = there.head - ready - latency_;
    access.client->read_arrived(arrived, there);
  }

  MemoryPort& memory_;
  Path to_memory_;
  Path to_pe_;
  Picoseconds latency_;
};

}  // namespace kernbench
