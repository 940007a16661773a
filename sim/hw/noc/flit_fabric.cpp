#include "sim/hw/noc/flit_fabric.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/errors.hpp"
#include "sim/hw/noc/flit_router.hpp"
#include "sim/hw/noc/flit_source.hpp"
#include "sim/hw/noc/flit_tree.hpp"

namespace kernbench {

namespace {

template <class Set, bool kCopies>
class MeshFabric : public FlitFabric {
 public:
  MeshFabric(const FlitMeshConfig& config, FlitTraffic& traffic)
      : config_(config), traffic_(traffic), nodes_(config.rows * config.columns) {
    const auto nodes = static_cast<std::size_t>(nodes_);
    routers_.reserve(nodes);
    sources_.reserve(nodes);
    const int longest = std::max(config.link_cycles, 1) + 5 + config.credit_cycles + config.router_cycles;
    events_.resize(std::bit_ceil(static_cast<unsigned>(longest)));
    for (std::int32_t node = 0; node < nodes_; ++node) {
      routers_.emplace_back(config.virtual_channels, config.buffer_flits);
      sources_.emplace_back(config.virtual_channels, config.buffer_flits);
      sending_.push_back(0);
      awake_.push_back(0);
      next_packet(node, -1);
    }
  }

  Cycles step(Cycles now) override {
    now_ = now;
    handle_events();
    while (!creations_.empty() && creations_.top().first <= now) {
      start_sending(creations_.top().second);
      creations_.pop();
    }
    if (senders_ > 0) {
      for (std::int32_t node = 0; node < nodes_; ++node) {
        if (sending_[index(node)] != 0) send(node);
      }
    }
    bool busy = false;
    for (std::int32_t node = 0; node < nodes_; ++node) {
      if (awake_[index(node)] == 0) continue;
      Router& router = routers_[index(node)];
      router.step(Sink{*this, node});
      awake_[index(node)] = router.awake() ? 1 : 0;
      busy = busy || router.awake();
    }
    return busy || senders_ > 0 ? now + 1 : next_event();
  }

  [[nodiscard]] std::int64_t flit_hops() const override { return flit_hops_; }

 private:
  using Router = FlitRouter<Set, kCopies>;

  /// What a router tells of a cycle.
  struct Sink {
    MeshFabric& fabric;
    std::int32_t node;
    void sent(int to, Flit flit) { fabric.sent(node, to, flit); }
    void freed(int from, bool next) { fabric.freed(node, from, next); }
  };

  /// A packet under way.
  struct Copies {
    const FlitTree* tree = nullptr;  ///< of a packet for several
    std::int64_t left = 1;           ///< to be delivered
  };

  struct Arrival {
    std::int32_t node = 0;
    std::int32_t channel = 0;
    Flit flit;
  };
  /// An output channel of a router, or an input channel whose head asks, or a virtual channel of a source.
  struct Place {
    std::int32_t node = 0;
    std::int32_t channel = 0;
  };
  /// What happens at the beginning of a cycle.
  struct Events {
    std::vector<Arrival> arrivals;
    std::vector<Place> credits;
    std::vector<Place> source_credits;
    std::vector<Place> asks;
    [[nodiscard]] bool empty() const {
      return arrivals.empty() && credits.empty() && source_credits.empty() && asks.empty();
    }
  };

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  Events& events_at(Cycles cycle) { return events_[index(cycle) & (events_.size() - 1)]; }

  void handle_events() {
    Events& events = events_at(now_);
    for (const Place& at : events.credits) routers_[index(at.node)].credit(at.channel);
    for (const Place& at : events.source_credits) sources_[index(at.node)].credit(at.channel);
    for (const Place& at : events.asks) ask(at.node, at.channel);
    for (const Arrival& in : events.arrivals) {
      const bool head = routers_[index(in.node)].arrive(in.channel, in.flit);
      if (head) head_in_front(in.node, in.channel, now_);
      awake_[index(in.node)] = 1;
    }
    events.credits.clear();
    events.source_credits.clear();
    events.asks.clear();
    events.arrivals.clear();
  }

  void ask(std::int32_t node, int channel) {
    routers_[index(node)].ask(channel);
    awake_[index(node)] = 1;
  }

  /// Cycles beyond 3 that a router takes are for routing, before a head asks for an output channel.
  void head_in_front(std::int32_t node, int channel, Cycles at) {
    const int routing = config_.router_cycles - 3;
    if (routing == 0) {
      ask(node, channel);
    } else {
      events_at(at + routing).asks.push_back({node, channel});
    }
  }

  void next_packet(std::int32_t node, Cycles last_sent) {
    FlitSource& source = sources_[index(node)];
    source.packet = traffic_.next(node);
    source.packet.source = node;
    KB_CHECK(kCopies || source.packet.receivers == nullptr, "a mesh without multicast has packets for one receiver");
    source.sent = 0;
    if (source.packet.created <= last_sent + 1) {
      start_sending(node);
    } else {
      creations_.emplace(source.packet.created, node);
    }
  }

  void start_sending(std::int32_t node) {
    sources_[index(node)].number = take_number(sources_[index(node)].packet);
    sending_[index(node)] = 1;
    ++senders_;
  }

  std::uint32_t take_number(const FlitPacket& packet) {
    if (free_numbers_.empty()) {
      free_numbers_.push_back(static_cast<std::uint32_t>(packets_.size()));
      packets_.emplace_back();
      if constexpr (kCopies) copies_.emplace_back();
    }
    const std::uint32_t number = free_numbers_.back();
    free_numbers_.pop_back();
    packets_[number] = packet;
    if constexpr (kCopies) copies_[number] = copies_of(packet);
    return number;
  }

  Copies copies_of(const FlitPacket& packet) {
    if (packet.receivers == nullptr) return {};
    const auto place = trees_.try_emplace(packet.receivers, config_.columns, packet.source, *packet.receivers).first;
    return {&place->second, std::ssize(*packet.receivers)};
  }

  /// A head comes to the router of `node`.
  void direct(Flit& head, std::int32_t node) const {
    if constexpr (kCopies) {
      if (const FlitTree* tree = copies_[head.packet].tree; tree != nullptr) {
        head.copies = tree->ports(node);
        return;
      }
    }
    head.output = flit_port(config_.columns, node, packets_[head.packet].destination);
  }

  void send(std::int32_t node) {
    FlitSource& source = sources_[index(node)];
    const int channel = source.channel();
    if (channel < 0) return;
    Flit flit{source.number, kNode, source.sent == 0, source.sent + 1 == config_.packet_flits};
    if (flit.head) direct(flit, node);
    source.send(channel);
    events_at(now_ + 2).arrivals.push_back({node, kNode * config_.virtual_channels + channel, flit});
    if (!flit.tail) return;
    sending_[index(node)] = 0;
    --senders_;
    next_packet(node, now_);
  }

  [[nodiscard]] std::int32_t neighbour(std::int32_t node, int port) const {
    const std::array<std::int32_t, 4> step = {1, -1, config_.columns, -config_.columns};
    return node + step[index(port)];
  }

  /// A flit has won the switch. Its neighbour's port is the opposite one: east and west, south and north are pairs.
  void sent(std::int32_t node, int to, Flit flit) {
    ++flit_hops_;
    const int vcs = config_.virtual_channels;
    const int out_port = to / vcs;
    if (out_port == kNode) {
      deliver(node, flit);
      events_at(now_ + 5 + config_.credit_cycles).credits.push_back({node, to});
    } else {
      const std::int32_t there = neighbour(node, out_port);
      if (flit.head) direct(flit, there);
      events_at(now_ + 2 + config_.link_cycles)
          .arrivals.push_back({there, (out_port ^ 1) * vcs + (to - out_port * vcs), flit});
    }
  }

  void deliver(std::int32_t node, Flit flit) {
    if constexpr (kCopies) {
      const FlitPacket& packet = packets_[flit.packet];
      traffic_.flit_delivered({packet.source, node, packet.created}, flit.tail, now_ + 3);
      if (flit.tail && --copies_[flit.packet].left == 0) free_numbers_.push_back(flit.packet);
    } else {
      traffic_.flit_delivered(packets_[flit.packet], flit.tail, now_ + 3);
      if (flit.tail) free_numbers_.push_back(flit.packet);
    }
  }

  /// A place in an input channel is free again.
  void freed(std::int32_t node, int from, bool next) {
    const int vcs = config_.virtual_channels;
    const int in_port = from / vcs;
    if (in_port == kNode) {
      events_at(now_ + 2).source_credits.push_back({node, from - in_port * vcs});
    } else {
      events_at(now_ + 1 + config_.link_cycles + config_.credit_cycles)
          .credits.push_back({neighbour(node, in_port), (in_port ^ 1) * vcs + (from - in_port * vcs)});
    }
    if (next) head_in_front(node, from, now_ + 1);
  }

  [[nodiscard]] Cycles next_event() {
    const Cycles creation = creations_.empty() ? INT64_MAX : creations_.top().first;
    for (Cycles cycle = now_ + 1; cycle < now_ + static_cast<Cycles>(events_.size()) && cycle < creation; ++cycle) {
      if (!events_at(cycle).empty()) return cycle;
    }
    return creation;
  }

  FlitMeshConfig config_;
  FlitTraffic& traffic_;
  std::int32_t nodes_;
  Cycles now_ = -1;
  std::vector<Router> routers_;
  std::vector<FlitSource> sources_;
  std::vector<std::uint8_t> sending_;  // by node: its source has a packet to send
  std::vector<std::uint8_t> awake_;    // by node: its router may have something to do
  std::int32_t senders_ = 0;
  std::vector<Events> events_;  // a wheel of cycles
  using Creation = std::pair<Cycles, std::int32_t>;
  std::priority_queue<Creation, std::vector<Creation>, std::greater<>> creations_;
  std::vector<FlitPacket> packets_;  // by number
  std::vector<Copies> copies_;       // by number; with kCopies
  std::unordered_map<const std::vector<std::int32_t>*, FlitTree> trees_;
  std::vector<std::uint32_t> free_numbers_;
  std::int64_t flit_hops_ = 0;
};

/// Whether a word has a bit for each channel of a router.
bool is_narrow(const FlitMeshConfig& config) {
  return kFlitPorts * config.virtual_channels <= FlitRouter<std::uint64_t>::kMostChannels;
}

template <bool kCopies>
std::size_t router_size(const FlitMeshConfig& config) {
  return is_narrow(config) ? sizeof(FlitRouter<std::uint64_t, kCopies>) : sizeof(FlitRouter<Wide, kCopies>);
}

void check(const char* what, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  throw ConfigError(std::string(what) + ": expected " + std::to_string(least) + " to " + std::to_string(most) +
                    ", got " + std::to_string(value));
}

/// Of packets for one receiver or several.
template <bool kCopies>
std::unique_ptr<FlitFabric> fabric_of(const FlitMeshConfig& config, FlitTraffic& traffic) {
  if (is_narrow(config)) return std::make_unique<MeshFabric<std::uint64_t, kCopies>>(config, traffic);
  return std::make_unique<MeshFabric<Wide, kCopies>>(config, traffic);
}

}  // namespace

void check_flit_mesh(const FlitMeshConfig& config) {
  check("rows of the mesh", config.rows, 1, 1024);
  check("columns of the mesh", config.columns, 1, 1024);
  check("virtual channels", config.virtual_channels, 1, kMostVirtualChannels);
  check("flits of a buffer", config.buffer_flits, 1, 4096);
  check("router cycles", config.router_cycles, 3, 1000);
  check("link cycles", config.link_cycles, 1, 1000);
  check("credit cycles", config.credit_cycles, 0, 1000);
  check("flits of a packet", config.packet_flits, 1, 100'000);
  if (!config.multicast || config.packet_flits <= config.buffer_flits) return;
  throw ConfigError("flits of a buffer: expected at least the " + std::to_string(config.packet_flits) +
                    " of a packet, since the copies of a packet for several receivers do not wait for each other only "
                    "where a buffer holds all of it, got " +
                    std::to_string(config.buffer_flits) + "; a larger buffer or shorter packets");
}

MemoryEstimate flit_mesh_memory(const FlitMeshConfig& config) {
  check_flit_mesh(config);
  const auto nodes = static_cast<double>(config.rows) * config.columns;
  const auto channels = static_cast<std::size_t>(kFlitPorts * config.virtual_channels);
  const auto router = config.multicast ? router_size<true>(config) : router_size<false>(config);
  // What comes in a cycle, of every kind, lies in lists that have grown to twice what they hold at most.
  constexpr std::size_t kEventsInACycle = 256;
  MemoryEstimate estimate;
  estimate.add("routers", nodes, router);
  estimate.add("buffers of a router", nodes, channels * static_cast<std::size_t>(config.buffer_flits) * sizeof(Flit));
  estimate.add("nodes", nodes,
               sizeof(FlitSource) + static_cast<std::size_t>(config.virtual_channels) * sizeof(int) + kEventsInACycle);
  return estimate;
}

std::unique_ptr<FlitFabric> make_flit_fabric(const FlitMeshConfig& config, FlitTraffic& traffic) {
  check_flit_mesh(config);
  return config.multicast ? fabric_of<true>(config, traffic) : fabric_of<false>(config, traffic);
}

}  // namespace kernbench
