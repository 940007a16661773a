#include "sim/hw/memory/sram_controller.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

SramController::SramController(const sc_core::sc_module_name& name, Calendar& calendar, const SramSpec& spec)
    : sc_module(name), calendar_(calendar), spec_(spec), alarm_(calendar, [this] { serve(); }) {}

void SramController::read(const MemoryAccess& access, Picoseconds arrival) { take({access, Access::kRead, arrival}); }

void SramController::write(const MemoryAccess& access, Flight arrival) { take({access, Access::kWrite, arrival.tail}); }

void SramController::take(const MemoryRequest& request) {
  alarm_.at(request.arrival);
  requests_.push(request);
}

void SramController::serve() {
  const Picoseconds now = calendar_.now();
  while (requests_.there(now)) {
    auto [access, kind, arrival] = requests_.pop();
    access.waits.memory_contention = sharing_.wait(access.from, now, std::max(free_at_, now));
    free_at_ = std::max(free_at_, now) + spec_.bandwidth.time_for(access.bytes);
    sharing_.served(access.from, free_at_);
    bytes_ += access.bytes;
    const Picoseconds done = free_at_ + spec_.latency;
    if (kind == Access::kRead) {
      access.route->answer(access, done);
    } else {
      access.route->taken(access, free_at_);
      access.client->written(access, done);
    }
  }
  if (requests_.next() != kForever) alarm_.at(requests_.next());
}

}  // namespace kernbench
