// A mesh of flit routers and its nodes, cycle by cycle; no SystemC, so that a module can run it (adr/0017).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/plan/memory_estimate.hpp"

namespace kernbench {

struct FlitMeshConfig {
  int rows = 8;
  int columns = 8;
  int virtual_channels = 4;
  int buffer_flits = 8;   ///< of every virtual channel of an input port
  int router_cycles = 3;  ///< from a head's arrival at a router to its entry into the link; at least 3
  int link_cycles = 1;    ///< between routers; to and from nodes it is always 1
  int credit_cycles = 0;  ///< that a router takes to count a credit that has come
  int packet_flits = 1;
  bool multicast = false;  ///< packets may have several receivers: routers copy them, and a buffer holds a whole one
};

/// Virtual channels that a fabric can have.
inline constexpr int kMostVirtualChannels = 25;

struct FlitPacket {
  std::int32_t source = 0;  ///< node = row x columns + column
  std::int32_t destination = 0;
  Cycles created = 0;
  /// Of a packet for several: two or more, none twice, of which `destination` is the first.
  /// Packets of one source may share them; they live as long as the traffic.
  const std::vector<std::int32_t>* receivers = nullptr;
};

/// Where packets come from and go to.
class FlitTraffic {
 public:
  FlitTraffic() = default;
  FlitTraffic(const FlitTraffic&) = delete;
  FlitTraffic& operator=(const FlitTraffic&) = delete;
  virtual ~FlitTraffic() = default;
  /// The node's next packet; creation times do not go back.
  virtual FlitPacket next(std::int32_t node) = 0;
  /// A flit will be at its destination at `arrival`; told when it leaves the last router. Of a packet for several each
  /// copy is told, as a packet for its receiver alone.
  virtual void flit_delivered(const FlitPacket& packet, bool tail, Cycles arrival) = 0;
  /// False ends the run.
  [[nodiscard]] virtual bool goes_on(Cycles now) const = 0;
};

class FlitFabric {
 public:
  FlitFabric() = default;
  FlitFabric(const FlitFabric&) = delete;
  FlitFabric& operator=(const FlitFabric&) = delete;
  virtual ~FlitFabric() = default;

  /// Simulates one cycle; returns the next one in which there is something to do. Cycles must be those returned.
  virtual Cycles step(Cycles now) = 0;
  /// Flits that routers have sent on, to nodes too.
  [[nodiscard]] virtual std::int64_t flit_hops() const = 0;
};

/// Throws ConfigError where the configuration cannot be built.
void check_flit_mesh(const FlitMeshConfig& config);

/// What a fabric takes, a mesh of any size, but for the trees of its packets. Throws what check_flit_mesh throws.
[[nodiscard]] MemoryEstimate flit_mesh_memory(const FlitMeshConfig& config);

/// The fabric of a configuration that passes check_flit_mesh; throws what that throws.
[[nodiscard]] std::unique_ptr<FlitFabric> make_flit_fabric(const FlitMeshConfig& config, FlitTraffic& traffic);

}  // namespace kernbench
