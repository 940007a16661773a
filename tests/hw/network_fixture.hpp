// Small networks made by hand, and runs of packets through them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/hw/noc/network.hpp"
#include "tests/support/forked.hpp"

namespace kernbench::testing {

inline constexpr Bandwidth kOne{1'000'000'000'000};  // 1 ps a byte
inline constexpr Bandwidth kSlow{100'000'000'000};   // 10 ps a byte
inline constexpr Bytes kAmple = 1'000'000;           // room that no test here fills

/// Nodes and links, and shortest ways between them (among equals the link with the lowest number).
class HandMadeNetwork {
 public:
  explicit HandMadeNetwork(std::int64_t virtual_channels = 1) { plan.virtual_channels = virtual_channels; }

  std::int32_t router(Picoseconds hop) { return node(NodeKind::kRouter, hop); }
  std::int32_t endpoint(NodeKind kind = NodeKind::kPe) { return node(kind, {}); }
  std::int32_t link(std::int32_t from, std::int32_t to, Bandwidth bandwidth, Picoseconds latency, Bytes buffer) {
    NetworkLink& link = plan.links.emplace_back();
    link.from = from;
    link.to = to;
    link.bandwidth = bandwidth;
    link.latency = latency;
    link.buffer = buffer;
    link.name = plan.nodes[static_cast<std::size_t>(from)].name + "->" + plan.nodes[static_cast<std::size_t>(to)].name;
    return static_cast<std::int32_t>(plan.links.size()) - 1;
  }
  /// Both directions.
  void connect(std::int32_t a, std::int32_t b, Bandwidth bandwidth, Picoseconds latency, Bytes buffer) {
    link(a, b, bandwidth, latency, buffer);
    link(b, a, bandwidth, latency, buffer);
  }

  [[nodiscard]] Network::Routing routing() const {
    std::vector<std::vector<std::int32_t>> next;  // by destination and node
    for (std::size_t to = 0; to < plan.nodes.size(); ++to) next.push_back(ways_to(static_cast<std::int32_t>(to)));
    return [next](std::int32_t router, std::int32_t destination, std::int32_t /*channel_class*/) {
      return next[static_cast<std::size_t>(destination)][static_cast<std::size_t>(router)];
    };
  }

  NetworkPlan plan;

 private:
  std::int32_t node(NodeKind kind, Picoseconds hop) {
    const auto number = static_cast<std::int32_t>(plan.nodes.size());
    plan.nodes.push_back({kind, {}, "node" + std::to_string(number), hop});
    return number;
  }

  [[nodiscard]] std::vector<std::int32_t> ways_to(std::int32_t destination) const {
    std::vector<std::int32_t> way(plan.nodes.size(), -1);
    std::deque<std::int32_t> reached = {destination};
    while (!reached.empty()) {
      const std::int32_t node = reached.front();
      reached.pop_front();
      for (std::size_t i = 0; i < plan.links.size(); ++i) {
        const NetworkLink& link = plan.links[i];
        const bool known = link.from == destination || way[static_cast<std::size_t>(link.from)] >= 0;
        if (link.to != node || known) continue;
        way[static_cast<std::size_t>(link.from)] = static_cast<std::int32_t>(i);
        reached.push_back(link.from);
      }
    }
    return way;
  }
};

/// Sources a and b, a router with a hop of 10 ps, destinations c (link as given) and d (1 ps a byte).
struct Star {
  explicit Star(Bandwidth to_c = kOne) {
    made.link(a, router, kOne, {5}, kAmple);
    made.link(b, router, kOne, {5}, kAmple);
    made.link(router, c, to_c, {7}, 0);
    made.link(router, d, kOne, {7}, 0);
  }
  HandMadeNetwork made;
  std::int32_t router = made.router({10});
  std::int32_t a = made.endpoint();
  std::int32_t b = made.endpoint();
  std::int32_t c = made.endpoint();
  std::int32_t d = made.endpoint();
};

/// Source a, two routers with a hop of 1 ps and 200 ps between them, destinations c (slow) and d (fast).
struct Line {
  explicit Line(Bytes buffer) {
    made.link(a, first, kOne, {}, kAmple);
    made.link(first, second, kOne, {200}, buffer);
    made.link(second, c, kSlow, {}, 0);
    made.link(second, d, kOne, {}, 0);
  }
  HandMadeNetwork made;
  std::int32_t first = made.router({1});
  std::int32_t second = made.router({1});
  std::int32_t a = made.endpoint();
  std::int32_t c = made.endpoint();
  std::int32_t d = made.endpoint();
};

/// A packet and when it is ready at its source, head and tail.
struct Injection {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  Bytes bytes = 0;
  Flight ready;
  Picoseconds called_at = {};  ///< when the network is told of it
  VirtualNetwork network = VirtualNetwork::kData;
  std::vector<std::int32_t> also = {};  ///< further destinations of the same packet
};

/// What is to come where: the packets at their destinations, then those with several at the others.
struct Arrival {
  std::size_t injection = 0;
  std::int32_t at = 0;
  bool operator==(const Arrival&) const = default;
};
inline std::vector<Arrival> arrivals_of(const std::vector<Injection>& injections) {
  std::vector<Arrival> arrivals;
  for (std::size_t i = 0; i < injections.size(); ++i) arrivals.push_back({i, injections[i].destination});
  for (std::size_t i = 0; i < injections.size(); ++i) {
    for (const std::int32_t at : injections[i].also) arrivals.push_back({i, at});
  }
  return arrivals;
}

/// Remembers the flights of packets, whose tags are the numbers of their injections.
class Deliveries : public PacketSink {
 public:
  explicit Deliveries(std::vector<Arrival> expected)
      : flights(expected.size(), Flight{{-1}, {-1}}), arrivals_(std::move(expected)) {}
  explicit Deliveries(std::size_t count) : flights(count, Flight{{-1}, {-1}}) {}
  void delivered(const NetworkPacket& packet, Flight flight) override {
    std::size_t number = packet.tag;
    if (packet.tree != nullptr) {
      const auto place = std::ranges::find(arrivals_, Arrival{packet.tag, packet.destination});
      number = static_cast<std::size_t>(place - arrivals_.begin());
    }
    flights.at(number) = flight;
    order.push_back(number);
  }
  std::vector<Flight> flights;       // by arrival; -1 while it has not arrived
  std::vector<std::uint64_t> order;  // of the calls

 private:
  std::vector<Arrival> arrivals_;
};

struct Delivered {
  std::vector<Flight> flights;       ///< by arrival: of the injections, then of further destinations
  std::vector<std::uint64_t> order;  ///< of the arrivals
  std::int64_t wakeups = 0;
  std::string waiting;
};

inline Process inject_all(Calendar& calendar, Network& network, const std::vector<Injection>& injections,
                          PacketSink& sink) {
  std::deque<MulticastTree> trees;
  for (std::size_t i = 0; i < injections.size(); ++i) {
    const Injection& one = injections[i];
    co_await calendar.until(one.called_at);
    NetworkPacket packet{one.source, one.destination, one.bytes, &sink, i, one.network};
    if (!one.also.empty()) {
      std::vector<std::int32_t> to = {one.destination};
      to.insert(to.end(), one.also.begin(), one.also.end());
      packet.tree = &trees.emplace_back(network.tree(one.source, to));
    }
    network.inject(packet, one.ready);
  }
  co_await std::suspend_always{};  // the trees outlive the packets
}

/// Runs the packets through the network, in a child process.
inline Delivered deliver(const HandMadeNetwork& made, const std::vector<Injection>& injections) {
  const std::string text = forked([&] {
    Calendar calendar("calendar");
    Network network("network", calendar, made.plan, made.routing());
    Deliveries arrivals(arrivals_of(injections));
    const Process process = inject_all(calendar, network, injections, arrivals);
    calendar.schedule(process.handle(), {});
    calendar.run();
    std::ostringstream out;
    for (const Flight& flight : arrivals.flights) out << flight.head.value << ' ' << flight.tail.value << ' ';
    out << arrivals.order.size() << ' ';
    for (const std::uint64_t tag : arrivals.order) out << tag << ' ';
    out << calendar.wakeups() << ' ' << calendar.describe_waiting();
    return out.str();
  });
  std::istringstream in(text);
  Delivered result;
  for (std::size_t i = 0; i < arrivals_of(injections).size(); ++i) {
    Flight flight;
    in >> flight.head.value >> flight.tail.value;
    result.flights.push_back(flight);
  }
  std::size_t calls = 0;
  in >> calls;
  for (std::size_t i = 0; i < calls; ++i) in >> result.order.emplace_back();
  in >> result.wakeups;
  std::getline(in.ignore(), result.waiting, '\0');
  return result;
}

}  // namespace kernbench::testing
