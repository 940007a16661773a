// Traffic that is a list of packets, for either network; remembers when their flits arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/hw/noc/flit_fabric.hpp"

namespace kernbench::testing {

inline constexpr Cycles kNever = 1'000'000'000;

/// Packets by node, in the order of creation; the run ends at `end`.
class ListedTraffic : public FlitTraffic {
 public:
  ListedTraffic(std::vector<std::vector<FlitPacket>> packets, Cycles end)
      : packets_(std::move(packets)), next_(packets_.size()), end_(end) {}

  FlitPacket next(std::int32_t node) override {
    const auto n = static_cast<std::size_t>(node);
    if (next_[n] < packets_[n].size()) return packets_[n][next_[n]++];
    return {node, node, kNever};
  }
  void flit_delivered(const FlitPacket& packet, bool tail, Cycles arrival) override {
    arrivals[{packet.source, packet.created}].push_back(arrival);
    copies[{packet.source, packet.created, packet.destination}].push_back(arrival);
    if (tail) ++packets_delivered;
  }
  [[nodiscard]] bool goes_on(Cycles now) const override { return now < end_; }

  std::map<std::pair<std::int32_t, Cycles>, std::vector<Cycles>> arrivals;  // by source and creation, flit by flit
  /// The same of each receiver: by source, creation and destination, flit by flit.
  std::map<std::tuple<std::int32_t, Cycles, std::int32_t>, std::vector<Cycles>> copies;
  std::int64_t packets_delivered = 0;

 private:
  std::vector<std::vector<FlitPacket>> packets_;
  std::vector<std::size_t> next_;
  Cycles end_;
};

/// Over flit routers.
inline void run_flits(const FlitMeshConfig& config, FlitTraffic& traffic) {
  const auto fabric = make_flit_fabric(config, traffic);
  for (Cycles cycle = 0; traffic.goes_on(cycle);) cycle = fabric->step(cycle);
}

}  // namespace kernbench::testing
