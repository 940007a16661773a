#include "sim/system/launch.hpp"

#include "sim/base/errors.hpp"
#include "sim/system/waiting_ranks.hpp"

namespace kernbench {

namespace {

/// Who waits for what, and which units cannot go on.
std::string unfinished(System& system, const std::vector<Launch*>& launches) {
  std::string text;
  for (const Launch* launch : launches) {
    if (launch->done()) continue;
    const std::string waiting = launch->waiting();
    text += waiting.empty() ? "  " + launch->what() + " has not ended\n" : first_lines(waiting);
  }
  const std::string units = system.calendar().describe_waiting();
  text += units.empty() ? "" : "units whose work is not done:\n" + first_lines(units);
  return text.empty() ? "  all work is done but its last effects, such as credits on their way back\n" : text;
}

}  // namespace

void run_launches(System& system, const std::vector<Launch*>& launches, Picoseconds limit) {
  std::int64_t order = 0;
  for (Launch* launch : launches) launch->set_order(order++);
  for (Launch* launch : launches) launch->start(system);
  try {
    system.calendar().run(limit);
  } catch (const TimeLimitError& error) {
    throw TimeLimitError(std::string(error.what()) + ":\n" + unfinished(system, launches));
  }
  for (const Launch* launch : launches) {
    if (launch->done()) continue;
    throw SimulationError("deadlock: nothing is left to happen and " + launch->what() + " has not ended:\n" +
                          unfinished(system, launches));
  }
  for (const Launch* launch : launches) launch->check_end();
}

}  // namespace kernbench
