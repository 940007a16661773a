// The network side of a PE's TCM as others see it: what arrives passes the TCM's write port.
#pragma once

#include "sim/hw/memory/memory_port.hpp"
#include "sim/hw/pe/tcm_link.hpp"

namespace kernbench {

class TcmPort : public MemoryPort {
 public:
  TcmPort(TcmLink& write, TcmLink& read) : write_(write), read_(read) {}

  void read(const MemoryAccess& access, Picoseconds arrival) override {
    access.route->answer(access, read_.carry({arrival, arrival}, access.bytes).tail);
  }
  void write(const MemoryAccess& access, Flight arrival) override {
    access.client->written(access, write_.carry(arrival, access.bytes).tail);
  }

 private:
  TcmLink& write_;
  TcmLink& read_;
};

}  // namespace kernbench
