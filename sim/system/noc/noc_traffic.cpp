#include "sim/system/noc/noc_traffic.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/hw/noc/flit_mesh.hpp"
#include "sim/system/noc/channel_load.hpp"
#include "sim/system/noc/mesh_machine.hpp"
#include "sim/system/noc/traffic_launch.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {

namespace {

/// Of a channel: what it carries, but for the rounding of sums of rates.
constexpr double kFull = 1 - 1e-9;

/// Draws the packets and measures those that are created in the window.
class MeasuredTraffic : public FlitTraffic {
 public:
  explicit MeasuredTraffic(const NocTest& test)
      : spec_(test.traffic),
        packet_flits_(test.mesh.packet_flits),
        begin_(test.warm_up),
        end_(test.warm_up + test.measure),
        give_up_(end_ + test.warm_up + test.measure),
        drawn_(static_cast<std::size_t>(spec_.rows * spec_.columns)),
        nodes_drawing_(spec_.rows * spec_.columns),
        offered_load_(test.rate * most_channel_load(spec_)) {
    Random seeds(test.seed);
    for (std::int32_t node = 0; node < spec_.rows * spec_.columns; ++node) {
      streams_.emplace_back(node, test.rate / packet_flits_, seeds.next());
    }
  }

  FlitPacket next(std::int32_t node) override {
    PacketStream& stream = streams_[static_cast<std::size_t>(node)];
    const Cycles cycle = stream.next_cycle();
    if (in_window(cycle)) ++created_;
    if (cycle >= end_ && !drawn_[static_cast<std::size_t>(node)]) {
      drawn_[static_cast<std::size_t>(node)] = true;
      --nodes_drawing_;
    }
    return {node, stream.destination(spec_), cycle};
  }

  void flit_delivered(const FlitPacket& packet, bool tail, Cycles arrival) override {
    if (in_window(arrival)) ++accepted_flits_;
    if (!tail || !in_window(packet.created)) return;
    const auto latency = static_cast<std::size_t>(arrival - packet.created);
    if (latency >= of_latency_.size()) of_latency_.resize(2 * latency + 1);
    ++of_latency_[latency];
    ++delivered_;
    Quarter& quarter = quarters_[static_cast<std::size_t>(4 * (packet.created - begin_) / (end_ - begin_))];
    ++quarter.packets;
    quarter.latency += arrival - packet.created;
    routers_ += 1 + std::abs(packet.source / spec_.columns - packet.destination / spec_.columns) +
                std::abs(packet.source % spec_.columns - packet.destination % spec_.columns);
  }

  [[nodiscard]] bool goes_on(Cycles now) const override {
    return now < end_ || ((nodes_drawing_ > 0 || delivered_ < created_) && now < give_up_);
  }

  [[nodiscard]] NocResult result() {
    draw_the_rest();
    NocResult result;
    result.packets = created_;
    result.undelivered = created_ - delivered_;
    const auto node_cycles = static_cast<double>(streams_.size()) * static_cast<double>(end_ - begin_);
    result.offered = static_cast<double>(created_ * packet_flits_) / node_cycles;
    result.accepted = static_cast<double>(accepted_flits_) / node_cycles;
    result.channel_load = offered_load_;
    result.saturated =
        result.undelivered > 0 || result.accepted < 0.98 * result.offered || offered_load_ > kFull || latency_grows();
    if (delivered_ == 0) return result;
    std::int64_t sum = 0;
    for (std::size_t latency = 0; latency < of_latency_.size(); ++latency) {
      sum += static_cast<std::int64_t>(latency) * of_latency_[latency];
      if (of_latency_[latency] > 0) result.max_latency = static_cast<Cycles>(latency);
    }
    result.mean_latency = static_cast<double>(sum) / static_cast<double>(delivered_);
    result.mean_hops = static_cast<double>(routers_) / static_cast<double>(delivered_);
    result.p50_latency = percentile(50);
    result.p99_latency = percentile(99);
    return result;
  }

 private:
  /// Measured packets that were created in a quarter of the window.
  struct Quarter {
    std::int64_t packets = 0;
    Cycles latency = 0;  ///< sum
  };

  [[nodiscard]] bool in_window(Cycles cycle) const { return cycle >= begin_ && cycle < end_; }

  /// A packet is drawn when its node comes to it: in a saturated network some of the window's are still to be drawn.
  void draw_the_rest() {
    for (std::int32_t node = 0; node < std::ssize(streams_); ++node) {
      while (!drawn_[static_cast<std::size_t>(node)]) (void)next(node);
    }
  }

  /// From quarter to quarter of the window, and to 2.5 times over all of it (17.22).
  [[nodiscard]] bool latency_grows() const {
    std::vector<double> means;
    for (const Quarter& quarter : quarters_) {
      if (quarter.packets == 0) return false;
      means.push_back(static_cast<double>(quarter.latency) / static_cast<double>(quarter.packets));
    }
    return std::ranges::is_sorted(means) && means.back() >= 2.5 * means.front();
  }

  /// The smallest latency that so many percent of the packets do not exceed.
  [[nodiscard]] Cycles percentile(std::int64_t percent) const {
    std::int64_t left = ceil_div(delivered_ * percent, 100);
    std::size_t latency = 0;
    while ((left -= of_latency_[latency]) > 0) ++latency;
    return static_cast<Cycles>(latency);
  }

  TrafficSpec spec_;
  int packet_flits_;
  Cycles begin_;
  Cycles end_;
  Cycles give_up_;
  std::vector<PacketStream> streams_;
  std::vector<bool> drawn_;  // by node: the packets of the window have all been drawn
  std::int32_t nodes_drawing_;
  std::int64_t created_ = 0;
  std::int64_t delivered_ = 0;
  std::int64_t accepted_flits_ = 0;
  std::int64_t routers_ = 0;
  double offered_load_;  // of the most loaded channel
  std::array<Quarter, 4> quarters_{};
  std::vector<std::int64_t> of_latency_;  // measured packets by latency
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

NocResult run_flits(const NocTest& test, MeasuredTraffic& traffic) {
  Calendar calendar("calendar");
  const FlitMesh mesh("mesh", calendar, test.mesh, traffic);
  const double begin = cpu_seconds();
  calendar.run();
  const double cpu_s = cpu_seconds() - begin;
  NocResult result = traffic.result();
  result.cpu_s = cpu_s;
  result.cycles = calendar.now().value / kMeshCycle.value;
  result.flit_hops = mesh.flit_hops();
  result.wakeups = calendar.wakeups();
  return result;
}

NocResult run_packets(const NocTest& test, MeasuredTraffic& traffic) {
  System system(mesh_machine(test.mesh));
  TrafficLaunch launch(traffic, test.mesh.packet_flits);
  const double begin = cpu_seconds();
  run_launches(system, {&launch});
  const double cpu_s = cpu_seconds() - begin;
  NocResult result = traffic.result();
  result.cpu_s = cpu_s;
  result.cycles = launch.end().value / kMeshCycle.value;
  result.flit_hops = launch.flit_hops();
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
  estimate.add("streams of packets", static_cast<double>(test.mesh.rows) * test.mesh.columns, sizeof(PacketStream));
  return estimate;
}

NocResult run_noc_test(const NocTest& test) {
  MeasuredTraffic traffic(checked(test));
  return test.network == NocNetwork::kFlits ? run_flits(test, traffic) : run_packets(test, traffic);
}

}  // namespace kernbench
