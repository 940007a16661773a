// One collective on one machine: what is asked for, its closed-form bound, its simulation (adr/0020).
#pragma once

#include <string>
#include <string_view>

#include "benches/workloads/collective/machine_part.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/collective/collective_bound.hpp"
#include "sim/plan/collective/rails.hpp"
#include "sim/plan/memory_estimate.hpp"

namespace kernbench {

/// Steps of a schedule that nothing but its simulation is worth making: some tenths of a second.
inline constexpr double kLongSchedule = 1e6;

struct CollectiveCase {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;
  Bytes bytes = 0;        ///< the collective's size as nccl-tests defines it
  std::int32_t root = 0;  ///< broadcast, reduce
  RootDie root_die = RootDie::kCentre;
  Bytes chunk = 0;  ///< most bytes of a message; 0: as the algorithm likes
};

/// Throws ConfigError that begins with `place` where these bytes are no whole number of elements.
[[nodiscard]] std::int64_t whole_elements(Bytes bytes, std::string_view place);

/// Most bytes of a message where nobody says otherwise: a slot of the message queues for what passes data on while more
/// comes in (trees, hierarchical, every broadcast and reduce); else 0, whole blocks.
[[nodiscard]] Bytes usual_chunk(const CollectiveCase& asked, const MachineSpec& machine);

/// What the algorithm is asked for. Throws ConfigError for a size that is no whole number of elements.
[[nodiscard]] CollectiveRequest request_of(const CollectiveCase& asked, const MachinePart& part);

/// What bounds any algorithm. Throws ConfigError as rails_of.
[[nodiscard]] CollectiveBound bound_of(const CollectiveCase& asked, const MachinePart& part);

/// The same where nothing but ports, cuts and latency takes time.
[[nodiscard]] CollectiveBound network_bound(const CollectiveCase& asked, const MachinePart& part);

/// What simulating it takes. Throws ConfigError as rails_of.
[[nodiscard]] MemoryEstimate memory_of(const CollectiveCase& asked, const MachinePart& part, bool verify);

/// A schedule for each PE of a rank. Throws ConfigError for an unknown algorithm, for what it cannot do, and for a size
/// that is no whole number of elements.
[[nodiscard]] CollectiveRails rails_of(const CollectiveCase& asked, const MachinePart& part);

}  // namespace kernbench
