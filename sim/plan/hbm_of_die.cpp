#include "sim/plan/hbm_of_die.hpp"

#include <algorithm>

#include "sim/base/checked.hpp"
#include "sim/machine/memory_places.hpp"

namespace kernbench {

Interleaving interleaving_of(const DieSpec& die) {
  if (!die.hbm.shared()) return {};
  return {die.hbm.interleave / die.hbm.burst, controllers_of_die(die), die.hbm.hashed};
}

Bandwidth hbm_bandwidth(const DieSpec& die) {
  return {interleaving_of(die).controllers * die.hbm.bandwidth.bytes_per_second};
}

Bytes hbm_capacity(const DieSpec& die) {
  return checked_multiply(interleaving_of(die).controllers, die.hbm.capacity, "bytes of a die's HBM", kInBytes);
}

std::int64_t hbm_channels(const DieSpec& die) { return interleaving_of(die).controllers * die.hbm.pseudo_channels; }

Bytes hbm_alignment(const DieSpec& die) { return hbm_channels(die) * die.hbm.burst; }

MachineSpec with_partition(const MachineSpec& machine, std::int64_t sharers) {
  if (!machine.die.hbm.shared()) return machine;
  MachineSpec seen = machine;
  HbmSpec& hbm = seen.die.hbm;
  hbm.capacity = hbm_capacity(machine.die);
  hbm.bandwidth.bytes_per_second = std::max<std::int64_t>(1, hbm_bandwidth(machine.die).bytes_per_second / sharers);
  hbm.pseudo_channels = hbm_channels(machine.die);
  hbm.controllers = kPrivateHbm;
  hbm.routing = MemoryRouting::kXy;
  hbm.hashed = false;
  return seen;
}

}  // namespace kernbench
