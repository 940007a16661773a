// What must hold of simulated probes, whatever the machine (adr/0021).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/probe/probe_set.hpp"

namespace kernbench {

/// A probe and what it is held against.
struct ProbeOutcome {
  Probe probe;
  std::string initiator;            ///< name of the first transfer's
  std::string memory;               ///< name of the first transfer's
  ProbeTime alone;                  ///< of the first transfer
  ProbeContention contention;       ///< of all of them
  std::string no_bound{};           ///< why there is no closed form; empty where there is
  std::vector<Picoseconds> ends{};  ///< simulated, by transfer

  [[nodiscard]] Picoseconds time() const;
  /// The closed form: exact for one transfer whose time is, else a bound.
  [[nodiscard]] Picoseconds closed_form() const { return contention.bound; }
  [[nodiscard]] bool exact() const {
    return probe.transfers.size() == 1 && alone.bound_because.empty() && no_bound.empty();
  }
  [[nodiscard]] Bytes bytes() const;
  /// All bytes over the time.
  [[nodiscard]] double gbs() const;
  /// That of the slowest link, port or memory of the path; with contention the max-min fair aggregate.
  [[nodiscard]] double peak_gbs() const { return contention.peak_gbs; }
  [[nodiscard]] double utilisation() const { return gbs() / peak_gbs(); }
};

/// Everything but `ends`.
[[nodiscard]] ProbeOutcome expect_probe(const NetworkPlan& plan, const MachineSpec& machine, const Probe& probe);

struct ProbeCheck {
  std::string name;
  std::string what;
  std::int64_t cases = 0;             ///< comparisons made; 0: nothing to compare among these probes
  std::vector<std::string> failures;  ///< one for each that does not hold, with both numbers
};

/// Of outcomes with simulated ends.
[[nodiscard]] std::vector<ProbeCheck> check_probes(const std::vector<ProbeOutcome>& outcomes);

}  // namespace kernbench
