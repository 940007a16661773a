#include "sim/hw/memory/sram_controller.hpp"

#include <algorithm>
#include <string>

namespace kernbench {

SramController::SramController(const sc_core::sc_module_name& name, Calendar& calendar, const SramSpec& spec)
    : sc_module(name),
      calendar_(calendar),
      spec_(spec),
      requests_(calendar, std::string(this->name()) + ".requests"),
      process_(serve()) {
  process_.start(calendar);
}

Process SramController::serve() {
  Picoseconds free_at{};
  for (;;) {
    const Request request = co_await requests_.pop();
    free_at = std::max(free_at, calendar_.now()) + spec_.bandwidth.time_for(request.access.bytes);
    const Picoseconds done = free_at + spec_.latency;
    if (request.is_read) {
      request.access.route->answer(request.access, done);
    } else {
      request.access.client->written(request.access, done);
    }
  }
}

}  // namespace kernbench
