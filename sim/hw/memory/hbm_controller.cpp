#include "sim/hw/memory/hbm_controller.hpp"

#include <algorithm>
#include <string>

namespace kernbench {

HbmController::HbmController(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec,
                             Picoseconds acknowledgement)
    : sc_module(name),
      calendar_(calendar),
      spec_(spec),
      acknowledgement_(acknowledgement),
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
    const MemoryRequest request = co_await reads_.pop();
    const Picoseconds read = channels_.serve(request.packet, Access::kRead, calendar_.now()) + spec_.read_latency;
    const Flight flight = request.answer->carry({read, read}, request.packet.bursts * spec_.burst);
    request.client->packet_done(request.packet, request.last, flight.tail);
  }
}

Process HbmController::serve_writes() {
  Picoseconds served{};  // this write and all before it: acknowledgements keep the order, as read data do
  for (;;) {
    const MemoryRequest request = co_await writes_.pop();
    served = std::max(served, channels_.serve(request.packet, Access::kWrite, calendar_.now()));
    request.client->packet_done(request.packet, request.last, served + acknowledgement_);
  }
}

}  // namespace kernbench
