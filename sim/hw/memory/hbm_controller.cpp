#include "sim/hw/memory/hbm_controller.hpp"

#include <algorithm>
#include <string>

namespace kernbench {

HbmController::HbmController(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec)
    : sc_module(name),
      calendar_(calendar),
      read_latency_(spec.read_latency),
      channels_(spec),
      reads_(calendar, std::string(this->name()) + ".reads"),
      writes_(calendar, std::string(this->name()) + ".writes", Phase::kYielding),
      read_process_(serve_reads()),
      write_process_(serve_writes()) {
  read_process_.start(calendar);
  write_process_.start(calendar);
}

Process HbmController::serve_reads() {
  for (;;) {
    const MemoryAccess access = co_await reads_.pop();
    access.route->answer(access, channels_.serve(access.packet, Access::kRead, calendar_.now()) + read_latency_);
  }
}

Process HbmController::serve_writes() {
  Picoseconds served{};  // this write and all before it: acknowledgements keep the order, as read data do
  for (;;) {
    const MemoryAccess access = co_await writes_.pop();
    served = std::max(served, channels_.serve(access.packet, Access::kWrite, calendar_.now()));
    access.client->written(access, served);
  }
}

}  // namespace kernbench
