// How long a collective keeps its ranks' ports busy, and which algorithms are too far behind to be simulated
// (adr/0020).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/workloads/collective/collective_case.hpp"

namespace kernbench {

/// The time without contention over a PE's ports, latency left out, and not less than the bound. Nothing where the
/// algorithm has no closed form for it and its schedule would be long. Throws ConfigError as bound_of.
[[nodiscard]] std::optional<Picoseconds> port_time(const CollectiveCase& asked, const MachinePart& part);

/// For each case why it is not worth its simulation: of those of its size one takes a tenth of its port_time or less.
/// "" where it is. Throws ConfigError as bound_of.
[[nodiscard]] std::vector<std::string> far_behind(const std::vector<CollectiveCase>& cases, const MachinePart& part);

}  // namespace kernbench
