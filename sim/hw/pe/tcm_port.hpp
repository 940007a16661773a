// The network side of a PE's TCM as others see it: what arrives passes the TCM's write port, what others read its read
// port.
#pragma once

#include "sim/engine/alarm.hpp"
#include "sim/hw/memory/arrivals.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/hw/pe/tcm_link.hpp"

namespace kernbench {

/// What is written comes over one link, in its order, and may be booked ahead. What is read is asked for from anywhere,
/// and passes the port beside what the PE's own writer sends for the present instant: it is booked when it is there
/// (ADR-0004, 4.19; ADR-0028, 28.16).
class TcmPort : public MemoryPort {
 public:
  TcmPort(Calendar& calendar, TcmLink& write, TcmLink& read)
      : calendar_(calendar), write_(write), read_(read), alarm_(calendar, [this] { serve(); }) {}

  void read(const MemoryAccess& access, Picoseconds arrival) override {
    alarm_.at(arrival);
    requests_.push({access, Access::kRead, arrival});
  }
  void write(const MemoryAccess& access, Flight arrival) override {
    access.client->written(access, write_.carry(arrival, access.bytes, access.from).tail);
  }

 private:
  void serve() {
    const Picoseconds now = calendar_.now();
    while (requests_.there(now)) {
      const MemoryAccess access = requests_.pop().access;
      access.route->answer(access, read_.carry({now, now}, access.bytes).tail);
    }
    if (requests_.next() != kForever) alarm_.at(requests_.next());
  }

  Calendar& calendar_;
  TcmLink& write_;
  TcmLink& read_;
  Arrivals requests_;
  Alarm alarm_;
};

}  // namespace kernbench
