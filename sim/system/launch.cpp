#include "sim/system/launch.hpp"

#include "sim/base/errors.hpp"

namespace kernbench {

void run_launches(System& system, const std::vector<Launch*>& launches, Picoseconds limit) {
  std::int64_t order = 0;
  for (Launch* launch : launches) launch->set_order(order++);
  for (Launch* launch : launches) launch->start(system);
  system.calendar().run(limit);
  for (const Launch* launch : launches) {
    if (launch->done()) continue;
    throw SimulationError("deadlock: nothing is left to happen and " + launch->what() + " has not ended; waiting:\n" +
                          system.calendar().describe_waiting());
  }
}

}  // namespace kernbench
