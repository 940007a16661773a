#include "sim/system/noc/measured_traffic.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {
namespace {

/// Of a channel: what it carries, but for the rounding of sums of rates.
constexpr double kFull = 1 - 1e-9;

std::vector<PacketStream> streams_of(const MeasuredLoad& load) {
  std::vector<PacketStream> streams;
  Random seeds(load.seed);
  for (std::int32_t node = 0; node < load.pattern.nodes(); ++node) {
    streams.emplace_back(node, load.per_cycle, seeds.next());
  }
  return streams;
}

}  // namespace

MeasuredTraffic::MeasuredTraffic(const MeasuredLoad& load)
    : load_(load), streams_(streams_of(load)), drawn_(streams_.size()), nodes_drawing_(load.pattern.nodes()) {}

FlitPacket MeasuredTraffic::next(std::int32_t node) {
  PacketStream& stream = streams_[static_cast<std::size_t>(node)];
  const Cycles created = stream.next_cycle() * load_.cycle;
  if (in_window(created)) ++created_;
  if (created >= load_.end && !drawn_[static_cast<std::size_t>(node)]) {
    drawn_[static_cast<std::size_t>(node)] = true;
    --nodes_drawing_;
  }
  return {node, stream.destination(load_.pattern), created};
}

void MeasuredTraffic::flit_delivered(const FlitPacket& packet, bool tail, Cycles arrival) {
  if (in_window(arrival)) ++accepted_flits_;
  if (!tail || !in_window(packet.created)) return;
  const Cycles latency = arrival - packet.created;
  ++of_latency_[latency];
  ++delivered_;
  Quarter& quarter =
      quarters_[static_cast<std::size_t>(4 * (packet.created - load_.begin) / (load_.end - load_.begin))];
  ++quarter.packets;
  quarter.latency += latency;
}

TrafficResult MeasuredTraffic::result() {
  draw_the_rest();
  TrafficResult result;
  result.packets = created_;
  result.undelivered = created_ - delivered_;
  const double node_cycles = static_cast<double>(streams_.size()) * static_cast<double>(load_.end - load_.begin) /
                             static_cast<double>(load_.cycle);
  result.offered = static_cast<double>(created_ * load_.flits) / node_cycles;
  result.accepted = static_cast<double>(accepted_flits_) / node_cycles;
  result.channel_load = load_.channel_load;
  result.saturated = result.undelivered > 0 || result.accepted < 0.98 * result.offered || load_.channel_load > kFull ||
                     latency_grows();
  if (delivered_ > 0) add_latencies(result);
  return result;
}

/// A packet is drawn when its node comes to it: in a saturated network some of the window's are still to be drawn.
void MeasuredTraffic::draw_the_rest() {
  for (std::int32_t node = 0; node < std::ssize(streams_); ++node) {
    while (!drawn_[static_cast<std::size_t>(node)]) (void)next(node);
  }
}

/// From quarter to quarter of the window, and to 2.5 times over all of it (17.22).
bool MeasuredTraffic::latency_grows() const {
  std::vector<double> means;
  for (const Quarter& quarter : quarters_) {
    if (quarter.packets == 0) return false;
    means.push_back(static_cast<double>(quarter.latency) / static_cast<double>(quarter.packets));
  }
  return std::ranges::is_sorted(means) && means.back() >= 2.5 * means.front();
}

void MeasuredTraffic::add_latencies(TrafficResult& result) const {
  std::vector<std::pair<Cycles, std::int64_t>> sorted(of_latency_.begin(), of_latency_.end());
  std::ranges::sort(sorted);
  /// The smallest latency that so many percent of the packets do not exceed.
  const auto percentile = [&](std::int64_t percent) {
    std::int64_t left = ceil_div(delivered_ * percent, 100);
    auto at = sorted.begin();
    while ((left -= at->second) > 0) ++at;
    return at->first;
  };
  Cycles sum = 0;
  for (const Quarter& quarter : quarters_) sum += quarter.latency;
  result.mean_latency = static_cast<double>(sum) / static_cast<double>(delivered_);
  result.p50_latency = percentile(50);
  result.p99_latency = percentile(99);
  result.max_latency = sorted.back().first;
}

void visit_measured(const MeasuredLoad& load,
                    const std::function<void(std::int32_t source, std::int32_t destination)>& visit) {
  std::vector<PacketStream> streams = streams_of(load);
  for (std::int32_t node = 0; node < std::ssize(streams); ++node) {
    PacketStream& stream = streams[static_cast<std::size_t>(node)];
    for (Cycles at = stream.next_cycle() * load.cycle; at < load.end; at = stream.next_cycle() * load.cycle) {
      const std::int32_t destination = stream.destination(load.pattern);
      if (at >= load.begin) visit(node, destination);
    }
  }
}

}  // namespace kernbench
