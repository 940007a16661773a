// Random traffic between PEs of any machine: what its links carry of it, and what becomes of it (adr/0017). The closed
// forms need no SystemC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/network/network_plan.hpp"
#include "sim/system/noc/measured_traffic.hpp"
#include "sim/system/run.hpp"

namespace kernbench {

/// In whose cycles messages are created (17.32).
inline constexpr Picoseconds kCreationCycle{1000};

/// PEs by their place in the mesh of routers of all packages, row by row, where they fill a rectangle of it; else one
/// row, in the order in which they are named.
struct PeMesh {
  int rows = 1;
  int columns = 1;
  std::vector<std::int32_t> pes;
};
[[nodiscard]] PeMesh mesh_of(const MachineSpec& machine, const std::vector<std::int32_t>& pes);

struct PeTraffic {
  MachineSpec machine;            ///< that has the PEs
  std::vector<std::int32_t> pes;  ///< of which node n of the pattern is one
  TrafficSpec pattern;            ///< checked, of as many nodes
  Bandwidth rate;                 ///< that each PE creates
  Bytes message = 0;              ///< at most a packet of the machine's, or a multiple of one
  std::uint64_t seed = 1;
  Picoseconds warm_up;
  Picoseconds measure;  ///< messages created in this time are measured

  [[nodiscard]] Bytes packet() const { return std::min(message, machine.simulation.packet); }
  [[nodiscard]] std::int64_t packets() const { return message / packet(); }
  /// Messages that a PE creates in a cycle.
  [[nodiscard]] double per_cycle() const;
};

/// What follows from routes and rates alone.
struct TrafficExpectation {
  std::int64_t messages = 0;     ///< measured; where there are none the next two are 0
  double zero_load = 0;          ///< ps, mean of the measured messages if none met another
  double hops = 0;               ///< routers and switches visited, mean of the measured messages
  std::int32_t most_loaded = 0;  ///< link of the plan that is full first, the first of equal ones
  double saturates_at = 0;       ///< bytes a second that each PE creates when it is
  [[nodiscard]] double load_at(Bandwidth rate) const {
    return static_cast<double>(rate.bytes_per_second) / saturates_at;
  }
};
[[nodiscard]] TrafficExpectation expect_traffic(const NetworkPlan& plan, const PeTraffic& traffic);

struct PeTrafficRun {
  TrafficResult measured;  ///< in ps, a packet being a flit; nothing is undelivered
  Picoseconds end;         ///< of the last message
  Activity activity;
  std::string busiest_link = {};
  double busiest = 0;  ///< share of the run in which it carries something
};
/// Of the settings the limit holds.
[[nodiscard]] PeTrafficRun run_pe_traffic(const PeTraffic& traffic, const TrafficExpectation& expected,
                                          const RunSettings& settings);

}  // namespace kernbench
