// Whether the slots of message queues hold as much as a stream of messages has under way (adr/0019, 19.20).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

/// One long message from one PE to another, over an idle network.
struct SlotRoom {
  std::string link;        ///< the slowest on the way, the first of equal ones
  Bandwidth bandwidth;     ///< of it, or of a TCM port that is slower
  Picoseconds round_trip;  ///< from when a piece is submitted until the next one to use its slot is
  std::int64_t slots = 0;  ///< with which the link is always at work
  double share = 1;        ///< of the bandwidth, with the slots that there are
};
/// `from` and `to` are the nodes of the PEs.
[[nodiscard]] SlotRoom slot_room(const NetworkPlan& plan, const MachineSpec& machine, std::int32_t from,
                                 std::int32_t to);

/// A note for each kind of neighbours, PEs of a die, dies, packages, between which the slots hold less than they have
/// under way: what they hold, of which link, over which round trip, and how many would do.
[[nodiscard]] std::vector<std::string> slot_notes(const NetworkPlan& plan, const MachineSpec& machine);

}  // namespace kernbench
