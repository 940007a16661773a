// What a long transfer over a way of the machine may reach: the least of what memory, links, TCM port and credits carry
// (adr/0021, 21.13), and values of the machine that nothing can ever use because of another one (21.14).
#pragma once

#include <string>
#include <vector>

#include "sim/plan/probe/probe_time.hpp"

namespace kernbench {

/// One of the things that a path passes.
struct PathTerm {
  std::string key;  ///< of the machine file, which says its rate
  Bandwidth rate;
  std::string what;  ///< how the rate follows from the key; "" where it is the key's value
};

/// The key of the machine file that says a link's bandwidth.
[[nodiscard]] std::string bandwidth_key(const NetworkPlan& plan, const NetworkLink& link);

struct PathRate {
  std::string name;  ///< "own HBM to TCM"
  std::vector<PathTerm> terms;

  [[nodiscard]] Bandwidth rate() const;
  /// Of the terms that are no faster than the path.
  [[nodiscard]] std::vector<std::string> limits() const;
};

/// Of one transfer. Of a memory whose model does not follow the machine's keys (29.4) there are links and port only.
[[nodiscard]] PathRate path_rate(const NetworkPlan& plan, const MachineSpec& machine, const ProbeTransfer& transfer,
                                 const std::string& name);

/// Of the first PE with its own HBM, its die's SRAM and the HBM of the next PE, die and package, where there are such,
/// and of the host with the first PE's HBM.
[[nodiscard]] std::vector<PathRate> path_rates(const NetworkPlan& plan, const MachineSpec& machine);

/// What the first PE's reader needs to draw from its own HBM all that memory, links and port carry (21.14).
struct CreditsNeeded {
  Bandwidth rate;           ///< that they carry
  Picoseconds round_trip;   ///< of a packet on an idle machine
  std::int64_t bursts = 0;  ///< in flight, in whole packets
};
[[nodiscard]] CreditsNeeded credits_needed(const NetworkPlan& plan, const MachineSpec& machine);

/// A warning for each value that cannot be used because of another key's, with both keys and the cure.
[[nodiscard]] std::vector<std::string> rate_warnings(const NetworkPlan& plan, const MachineSpec& machine);

}  // namespace kernbench
