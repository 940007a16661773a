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

std::vector<std::vector<std::int32_t>> all_receivers(const TrafficSpec& spec) {
  std::vector<std::vector<std::int32_t>> receivers;
  if (!spec.multicast()) return receivers;
  for (std::int32_t node = 0; node < spec.nodes(); ++node) receivers.push_back(receivers_of(spec, node));
  return receivers;
}

}  // namespace

MeasuredTraffic::MeasuredTraffic(const MeasuredLoad& load)
    : load_(load),
      streams_(streams_of(load)),
      receivers_(all_receivers(load.pattern)),
      drawn_(streams_.size()),
      nodes_drawing_(load.pattern.nodes()) {}

FlitPacket MeasuredTraffic::next(std::int32_t node) {
  PacketStream& stream = streams_[static_cast<std::size_t>(node)];
  const Cycles created = stream.next_cycle() * load_.cycle;
  if (in_window(created)) ++created_;
  if (created >= load_.end && !drawn_[static_cast<std::size_t>(node)]) {
    drawn_[static_cast<std::size_t>(node)] = true;
    --nodes_drawing_;
  }
  if (receivers_.empty()) return {node, stream.destination(load_.pattern), created};
  const std::vector<std::int32_t>& receivers = receivers_[static_cast<std::size_t>(node)];
  return {node, receivers.front(), created, receivers.size() > 1 ? &receivers : nullptr};
}

void MeasuredTraffic::flit_delivered(const FlitPacket& packet, bool tail, Cycles arrival) {
  const std::int64_t copies = receivers_.empty() ? 1 : std::ssize(receivers_[static_cast<std::size_t>(packet.source)]);
  if (in_window(arrival)) {
    ++accepted_flits_;
    accepted_as_offered_ += 1 / static_cast<double>(copies);
  }
  if (!tail || !in_window(packet.created)) return;
  const Cycles latency = arrival - packet.created;
  ++of_latency_[latency];
  ++delivered_copies_;
  Quarter& quarter =
      quarters_[static_cast<std::size_t>(4 * (packet.created - load_.begin) / (load_.end - load_.begin))];
  ++quarter.copies;
  quarter.latency += latency;
  if (copies == 1) {
    packet_delivered(latency);
    return;
  }
  const auto partly = partly_.try_emplace({packet.created, packet.source}, Partly{copies, 0}).first;
  partly->second.last = std::max(partly->second.last, latency);
  if (--partly->second.left > 0) return;
  packet_delivered(partly->second.last);
  partly_.erase(partly);
}

void MeasuredTraffic::packet_delivered(Cycles latency) {
  ++delivered_;
  last_latencies_ += latency;
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
  result.accepted_as_offered = accepted_as_offered_ / node_cycles;
  result.channel_load = load_.channel_load;
  result.saturated = result.undelivered > 0 || result.accepted_as_offered < 0.98 * result.offered ||
                     load_.channel_load > kFull || latency_grows();
  if (delivered_copies_ > 0) add_latencies(result);
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
    if (quarter.copies == 0) return false;
    means.push_back(static_cast<double>(quarter.latency) / static_cast<double>(quarter.copies));
  }
  return std::ranges::is_sorted(means) && means.back() >= 2.5 * means.front();
}

void MeasuredTraffic::add_latencies(TrafficResult& result) const {
  std::vector<std::pair<Cycles, std::int64_t>> sorted(of_latency_.begin(), of_latency_.end());
  std::ranges::sort(sorted);
  /// The smallest latency that so many percent of the copies do not exceed.
  const auto percentile = [&](std::int64_t percent) {
    std::int64_t left = ceil_div(delivered_copies_ * percent, 100);
    auto at = sorted.begin();
    while ((left -= at->second) > 0) ++at;
    return at->first;
  };
  Cycles sum = 0;
  for (const Quarter& quarter : quarters_) sum += quarter.latency;
  result.mean_latency = static_cast<double>(sum) / static_cast<double>(delivered_copies_);
  if (delivered_ > 0) result.last_latency = static_cast<double>(last_latencies_) / static_cast<double>(delivered_);
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
