// Random traffic that is measured: the packets of a test, and what becomes of those created in its window (adr/0017).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/hw/noc/flit_fabric.hpp"
#include "sim/system/noc/traffic_pattern.hpp"

namespace kernbench {

/// What is offered to a network, and when. Times are in ticks, which may be of any length.
struct MeasuredLoad {
  TrafficSpec pattern;      ///< checked
  double per_cycle = 0;     ///< packets that a node creates in a cycle, at most 1
  Cycles cycle = 1;         ///< ticks of a cycle
  int flits = 1;            ///< that a packet is delivered in
  double channel_load = 0;  ///< of the most loaded channel, as a share of what it carries (17.30)
  std::uint64_t seed = 1;
  Cycles begin = 0;  ///< of the window
  Cycles end = 0;
};

struct TrafficResult {
  std::int64_t packets = 0;      ///< measured: created in the window
  std::int64_t undelivered = 0;  ///< of them, when the run was given up
  double mean_latency = 0;       ///< ticks from creation to the last flit's arrival, of each receiver's copy
  Cycles p50_latency = 0;
  Cycles p99_latency = 0;
  Cycles max_latency = 0;
  double last_latency = 0;         ///< mean of the packets' last copies
  double offered = 0;              ///< flits created per node and cycle of the window
  double accepted = 0;             ///< flits delivered per node and cycle of the window
  double accepted_as_offered = 0;  ///< of a packet for n receivers, each flit delivered as an n-th
  double channel_load = 0;         ///< as the load says
  bool saturated = false;
};

/// Draws the packets and measures those that are created in the window.
class MeasuredTraffic : public FlitTraffic {
 public:
  explicit MeasuredTraffic(const MeasuredLoad& load);

  FlitPacket next(std::int32_t node) override;
  void flit_delivered(const FlitPacket& packet, bool tail, Cycles arrival) override;
  [[nodiscard]] bool goes_on(Cycles now) const override {
    return now < load_.end || ((nodes_drawing_ > 0 || delivered_ < created_) && now < give_up());
  }

  /// When the run has ended.
  [[nodiscard]] TrafficResult result();

 protected:
  [[nodiscard]] bool in_window(Cycles at) const { return at >= load_.begin && at < load_.end; }
  /// Copies of measured packets that have arrived, one for each receiver.
  [[nodiscard]] std::int64_t delivered_copies() const { return delivered_copies_; }

 private:
  /// Copies of measured packets that were created in a quarter of the window.
  struct Quarter {
    std::int64_t copies = 0;
    Cycles latency = 0;  ///< sum
  };
  /// A measured packet of which a copy has arrived, and another has not.
  struct Partly {
    std::int64_t left = 0;
    Cycles last = 0;  ///< latency of the latest copy
  };

  [[nodiscard]] Cycles give_up() const { return 2 * load_.end; }
  /// To its last receiver.
  void packet_delivered(Cycles latency);
  void draw_the_rest();
  [[nodiscard]] bool latency_grows() const;
  void add_latencies(TrafficResult& result) const;

  MeasuredLoad load_;
  std::vector<PacketStream> streams_;
  std::vector<std::vector<std::int32_t>> receivers_;  // by node; of multicast
  std::vector<bool> drawn_;                           // by node: the packets of the window have all been drawn
  std::int32_t nodes_drawing_;
  std::int64_t created_ = 0;
  std::int64_t delivered_ = 0;
  std::int64_t delivered_copies_ = 0;
  std::int64_t accepted_flits_ = 0;
  double accepted_as_offered_ = 0;
  Cycles last_latencies_ = 0;  // sum
  std::array<Quarter, 4> quarters_{};
  std::unordered_map<Cycles, std::int64_t> of_latency_;         // copies of measured packets by latency
  std::map<std::pair<Cycles, std::int32_t>, Partly> partly_{};  // by creation and source
};

/// Every packet that is created in the window, source after source.
void visit_measured(const MeasuredLoad& load,
                    const std::function<void(std::int32_t source, std::int32_t destination)>& visit);

}  // namespace kernbench
