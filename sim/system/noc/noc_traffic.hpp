// The traffic test of routers: a mesh under random traffic, its latency and its throughput (adr/0017).
#pragma once

#include <cstdint>

#include "sim/hw/noc/flit_fabric.hpp"
#include "sim/system/noc/measured_traffic.hpp"

namespace kernbench {

/// Flit routers, or the packet routers of a machine.
enum class NocNetwork : std::uint8_t { kFlits, kPackets };
/// Names as on the command line.
inline constexpr Names<NocNetwork> kNocNetworks{"network",
                                                {{NocNetwork::kFlits, "flits"}, {NocNetwork::kPackets, "packets"}}};

struct NocTest {
  NocNetwork network = NocNetwork::kFlits;
  FlitMeshConfig mesh;  ///< of either network: packet routers are made alike (mesh_machine); multicast as the traffic
  TrafficSpec traffic;  ///< rows and columns are taken from the mesh
  double rate = 0.1;    ///< flits that a node creates per cycle, more than 0 and at most 1
  std::uint64_t seed = 1;
  Cycles warm_up = 10'000;
  Cycles measure = 100'000;  ///< packets created in these cycles are measured
};

/// Ticks are cycles.
struct NocResult : TrafficResult {
  double mean_hops = 0;  ///< routers visited on the way to a receiver, the first and the last included
  Cycles cycles = 0;     ///< simulated
  std::int64_t flit_hops = 0;
  std::int64_t wakeups = 0;
  double cpu_s = 0;  ///< of the simulation proper
};

/// With all that was left open filled in. Throws ConfigError for what cannot be simulated.
[[nodiscard]] NocTest checked(NocTest test);

/// What run_noc_test takes. Throws what checked() throws.
[[nodiscard]] MemoryEstimate noc_memory(const NocTest& test);

/// One simulation, so once a process. Throws what checked() throws.
[[nodiscard]] NocResult run_noc_test(const NocTest& test);

}  // namespace kernbench
