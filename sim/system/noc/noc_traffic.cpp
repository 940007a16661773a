#include "sim/system/noc/noc_traffic.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/hw/noc/flit_mesh.hpp"
#include "sim/system/noc/channel_load.hpp"
#include "sim/system/noc/mesh_machine.hpp"
#include "sim/system/noc/traffic_launch.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {

namespace {

MeasuredLoad load_of(const NocTest& test) {
  return {.pattern = test.traffic,
          .per_cycle = test.rate / test.mesh.packet_flits,
          .flits = test.mesh.packet_flits,
          .channel_load = test.rate * most_channel_load(test.traffic),
          .seed = test.seed,
          .begin = test.warm_up,
          .end = test.warm_up + test.measure};
}

/// Over a mesh, whose routers on a packet's way follow from its ends.
class MeshTraffic : public MeasuredTraffic {
 public:
  explicit MeshTraffic(const NocTest& test) : MeasuredTraffic(load_of(test)), columns_(test.mesh.columns) {}

  void flit_delivered(const FlitPacket& packet, bool tail, Cycles arrival) override {
    MeasuredTraffic::flit_delivered(packet, tail, arrival);
    if (!tail || !in_window(packet.created)) return;
    routers_ += 1 + std::abs(packet.source / columns_ - packet.destination / columns_) +
                std::abs(packet.source % columns_ - packet.destination % columns_);
  }

  [[nodiscard]] NocResult noc_result() {
    NocResult all{result()};
    if (delivered_copies() > 0) {
      all.mean_hops = static_cast<double>(routers_) / static_cast<double>(delivered_copies());
    }
    return all;
  }

 private:
  std::int32_t columns_;
  std::int64_t routers_ = 0;
};

/// What a tree takes for each router on it: the receiver, and the ports or the links that lead to it.
constexpr std::size_t kRouterOfFlitTree = 24;
constexpr std::size_t kRouterOfPacketTree = 128;

/// Routers on the ways from a node to its receivers, at most.
double tree_routers(const NocTest& test) {
  const TrafficGroups& groups = test.traffic.groups;
  const double rows = test.mesh.rows;
  const double columns = test.mesh.columns;
  if (groups.nodes.empty()) return static_cast<double>(groups.rows) * groups.columns;
  return std::min(rows * columns, columns + static_cast<double>(groups.nodes.size()) * rows);
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

NocResult run_flits(const NocTest& test, MeshTraffic& traffic) {
  Calendar calendar("calendar");
  const FlitMesh mesh("mesh", calendar, test.mesh, traffic);
  const double begin = cpu_seconds();
  calendar.run();
  const double cpu_s = cpu_seconds() - begin;
  NocResult result = traffic.noc_result();
  result.cpu_s = cpu_s;
  result.cycles = calendar.now().value / kMeshCycle.value;
  result.flit_hops = mesh.flit_hops();
  result.wakeups = calendar.wakeups();
  return result;
}

NocResult run_packets(const NocTest& test, MeshTraffic& traffic) {
  System system(mesh_machine(test.mesh));
  TrafficLaunch launch(traffic, mesh_packets(test.mesh.packet_flits));
  const double begin = cpu_seconds();
  run_launches(system, {&launch});
  const double cpu_s = cpu_seconds() - begin;
  NocResult result = traffic.noc_result();
  result.cpu_s = cpu_s;
  result.cycles = launch.end().value / kMeshCycle.value;
  result.flit_hops = launch.router_bytes() / kFlitBytes;
  result.wakeups = system.calendar().wakeups();
  return result;
}

}  // namespace

NocTest checked(NocTest test) {
  if (!(test.rate > 0 && test.rate <= 1)) {
    throw ConfigError("rate: expected more than 0 and at most 1 flit per node and cycle, got " +
                      std::to_string(test.rate));
  }
  if (test.warm_up < 0) throw ConfigError("warm-up: expected 0 cycles or more, got " + std::to_string(test.warm_up));
  if (test.measure < 1) throw ConfigError("measure: expected 1 cycle or more, got " + std::to_string(test.measure));
  test.mesh.multicast = test.traffic.multicast();
  check_flit_mesh(test.mesh);
  if (test.network == NocNetwork::kPackets) (void)mesh_machine(test.mesh);
  test.traffic.rows = test.mesh.rows;
  test.traffic.columns = test.mesh.columns;
  test.traffic = checked(std::move(test.traffic));
  return test;
}

MemoryEstimate noc_memory(const NocTest& test) {
  MemoryEstimate estimate;
  if (test.network == NocNetwork::kPackets) {
    estimate.add(system_memory(mesh_machine(test.mesh)));
  } else {
    estimate.add(flit_mesh_memory(test.mesh));
    estimate.add("program", 1, kProgramMemory);
  }
  const double nodes = static_cast<double>(test.mesh.rows) * test.mesh.columns;
  estimate.add("streams of packets", nodes, sizeof(PacketStream));
  if (test.traffic.multicast()) {
    const bool flits = test.network == NocNetwork::kFlits;
    estimate.add("trees of packets", nodes * tree_routers(test), flits ? kRouterOfFlitTree : kRouterOfPacketTree);
  }
  return estimate;
}

NocResult run_noc_test(const NocTest& test) {
  const NocTest whole = checked(test);
  MeshTraffic traffic(whole);
  return whole.network == NocNetwork::kFlits ? run_flits(whole, traffic) : run_packets(whole, traffic);
}

}  // namespace kernbench
