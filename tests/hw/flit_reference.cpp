#include "tests/hw/flit_reference.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace kernbench::testing {
namespace {

class FlitReference {
 public:
  FlitReference(const FlitMeshConfig& config, FlitTraffic& traffic)
      : c_(config), traffic_(traffic), nodes_(static_cast<std::size_t>(config.rows * config.columns)) {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      Node& node = nodes_[n];
      node.in.resize(channels());
      node.out.resize(channels());
      for (Output& out : node.out) out.room = c_.buffer_flits;
      node.turn_of_output.resize(5);
      node.turn_of_input.resize(5);
      node.turn_of_channel.resize(5);
      node.room.assign(vcs(), c_.buffer_flits);
      node.last = vcs() - 1;
      node.next = traffic_.next(static_cast<std::int32_t>(n));
    }
  }

  void run(Cycles cycles) {
    for (now_ = 0; now_ < cycles; ++now_) {
      const auto [first, last] = events_.equal_range(now_);
      for (auto event = first; event != last; ++event) happen(event->second);
      events_.erase(first, last);
      for (std::size_t n = 0; n < nodes_.size(); ++n) inject(n);
      for (std::size_t n = 0; n < nodes_.size(); ++n) step(n);
    }
  }

 private:
  struct Piece {
    FlitPacket packet;
    bool head = false;
    bool tail = false;
  };
  /// Of an input channel's first packet: what leaves by one port. A packet for one receiver has one.
  struct Copy {
    std::size_t port = 0;
    Cycles since = 0;  // first cycle in which it may do what its state says
    enum { kAsking, kActive, kLeft } state = kAsking;
    std::size_t output = 0;  // channel
    std::size_t sent = 0;    // of the flits that are here
  };
  struct Input {
    std::deque<Piece> flits;
    std::vector<Copy> copies;  // none: it has no packet
    std::size_t turn = 0;
  };
  struct Output {
    int room = 0;
    bool held = false;
    std::size_t turn = 0;
  };
  struct Node {
    std::vector<Input> in;
    std::vector<Output> out;
    std::vector<std::size_t> turn_of_output, turn_of_input, turn_of_channel;
    std::vector<int> room;  // of the source
    std::size_t last = 0, channel = 0;
    FlitPacket next;
    int sent = 0;
  };
  struct Event {
    enum Kind { kArrival, kCredit, kSourceCredit } kind = kArrival;
    std::size_t node = 0, channel = 0;
    Piece piece;
  };

  [[nodiscard]] std::size_t vcs() const { return static_cast<std::size_t>(c_.virtual_channels); }
  [[nodiscard]] std::size_t channels() const { return 5 * vcs(); }
  [[nodiscard]] std::size_t columns() const { return static_cast<std::size_t>(c_.columns); }
  void at(Cycles cycle, const Event& event) { events_.emplace(cycle, event); }

  [[nodiscard]] std::size_t port_to(std::size_t n, const FlitPacket& packet) const {
    const auto to = static_cast<std::size_t>(packet.destination);
    if (to % columns() > n % columns()) return 0;
    if (to % columns() < n % columns()) return 1;
    if (to / columns() > n / columns()) return 2;
    return to / columns() < n / columns() ? 3 : 4;
  }
  static bool between(std::size_t at, std::size_t one, std::size_t other) {
    return std::min(one, other) <= at && at <= std::max(one, other);
  }
  /// Whether the way to the destination goes over n.
  [[nodiscard]] bool visits(std::size_t n, const FlitPacket& packet) const {
    const auto from = static_cast<std::size_t>(packet.source);
    const auto to = static_cast<std::size_t>(packet.destination);
    if (n / columns() == from / columns() && between(n % columns(), from % columns(), to % columns())) return true;
    return n % columns() == to % columns() && between(n / columns(), from / columns(), to / columns());
  }
  [[nodiscard]] std::set<std::size_t> ports_to(std::size_t n, FlitPacket packet) const {
    if (packet.receivers == nullptr) return {port_to(n, packet)};
    std::set<std::size_t> ports;
    for (const std::int32_t receiver : *packet.receivers) {
      packet.destination = receiver;
      if (visits(n, packet)) ports.insert(port_to(n, packet));
    }
    return ports;
  }
  [[nodiscard]] std::size_t behind(std::size_t n, std::size_t port) const {
    if (port == 0) return n + 1;
    if (port == 1) return n - 1;
    return port == 2 ? n + columns() : n - columns();
  }
  static std::size_t opposite(std::size_t port) { return port % 2 == 0 ? port + 1 : port - 1; }

  void happen(const Event& event) {
    Node& node = nodes_[event.node];
    if (event.kind == Event::kCredit) ++node.out[event.channel].room;
    if (event.kind == Event::kSourceCredit) ++node.room[event.channel];
    if (event.kind != Event::kArrival) return;
    Input& in = node.in[event.channel];
    in.flits.push_back(event.piece);
    if (in.copies.empty()) begin(event.node, in, now_);
  }

  void begin(std::size_t n, Input& in, Cycles from) const {
    for (const std::size_t port : ports_to(n, in.flits.front().packet)) {
      in.copies.push_back({.port = port, .since = from + c_.router_cycles - 3});
    }
  }

  void inject(std::size_t n) {
    Node& node = nodes_[n];
    if (node.next.created > now_) return;
    if (node.sent == 0) {
      std::size_t tried = 0;
      do {
        node.channel = (node.last + ++tried) % vcs();
      } while (node.room[node.channel] == 0 && tried < vcs());
    }
    if (node.room[node.channel] == 0) return;
    --node.room[node.channel];
    node.last = node.channel;
    ++node.sent;
    const bool tail = node.sent == c_.packet_flits;
    at(now_ + 2, {Event::kArrival, n, 4 * vcs() + node.channel, {node.next, node.sent == 1, tail}});
    if (!tail) return;
    node.next = traffic_.next(static_cast<std::int32_t>(n));
    node.next.source = static_cast<std::int32_t>(n);
    node.sent = 0;
  }

  void step(std::size_t n) {
    Node& node = nodes_[n];
    const auto chosen = choose_flits(node);
    give_channels(node);
    for (const auto& [channel, output] : chosen) move(n, channel, output);
  }

  /// Input channels that win the switch, with their output port.
  std::vector<std::pair<std::size_t, std::size_t>> choose_flits(Node& node) {
    const auto asks = [&](std::size_t port, std::size_t vc, std::size_t output) {
      const Input& in = node.in[port * vcs() + vc];
      return std::ranges::any_of(in.copies, [&](const Copy& copy) {
        return copy.port == output && copy.state == Copy::kActive && copy.since <= now_ &&
               copy.sent < in.flits.size() && node.out[copy.output].room > 0;
      });
    };
    const auto sent = [&](std::size_t port, std::size_t vc, std::size_t output) {
      return copy_by(node.in[port * vcs() + vc], output).sent;
    };
    const auto port_asks = [&](std::size_t port, std::size_t output) {
      for (std::size_t vc = 0; vc < vcs(); ++vc) {
        if (asks(port, vc, output)) return true;
      }
      return false;
    };
    std::vector<std::vector<bool>> offered(5, std::vector<bool>(5));  // to an input port, by output port
    for (std::size_t output = 0; output < 5; ++output) {
      for (std::size_t i = 0; i < 5; ++i) {
        const std::size_t port = (node.turn_of_output[output] + i) % 5;
        if (!port_asks(port, output)) continue;
        offered[port][output] = true;
        break;
      }
    }
    std::vector<std::pair<std::size_t, std::size_t>> chosen;
    for (std::size_t port = 0; port < 5; ++port) {
      for (std::size_t i = 0; i < 5; ++i) {
        const std::size_t output = (node.turn_of_input[port] + i) % 5;
        if (!offered[port][output]) continue;
        std::size_t vc = node.turn_of_channel[port];
        while (!asks(port, vc, output)) vc = (vc + 1) % vcs();
        node.turn_of_input[port] = (output + 1) % 5;
        node.turn_of_channel[port] = (vc + 1) % vcs();
        for (std::size_t also = 0; also < 5; ++also) {
          if (!offered[port][also] || !asks(port, vc, also) || sent(port, vc, also) != sent(port, vc, output)) continue;
          node.turn_of_output[also] = (port + 1) % 5;
          chosen.emplace_back(port * vcs() + vc, also);
        }
        break;
      }
    }
    return chosen;
  }

  void give_channels(Node& node) const {
    const std::size_t all = channels();
    std::vector<std::size_t> offered_to(all, all);  // by output channel; all: to nobody
    for (std::size_t out = 0; out < all; ++out) {
      for (std::size_t i = 0; i < all && !node.out[out].held && offered_to[out] == all; ++i) {
        const std::size_t in = (node.out[out].turn + i) % all;
        if (asks_for_channel(node.in[in], out / vcs())) offered_to[out] = in;
      }
    }
    for (std::size_t in = 0; in < all; ++in) {
      Input& input = node.in[in];
      for (Copy& copy : input.copies) {
        for (std::size_t i = 0; i < all && asks_now(copy); ++i) {
          const std::size_t out = (input.turn + i) % all;
          if (offered_to[out] != in || out / vcs() != copy.port) continue;
          node.out[out].held = true;
          node.out[out].turn = (in + 1) % all;
          input.turn = (out + 1) % all;
          copy.output = out;
          copy.state = Copy::kActive;
          copy.since = now_ + 1;
        }
      }
    }
  }
  [[nodiscard]] bool asks_now(const Copy& copy) const { return copy.state == Copy::kAsking && copy.since <= now_; }
  [[nodiscard]] bool asks_for_channel(const Input& in, std::size_t port) const {
    return std::ranges::any_of(in.copies, [&](const Copy& copy) { return copy.port == port && asks_now(copy); });
  }
  static Copy& copy_by(Input& in, std::size_t port) { return *std::ranges::find(in.copies, port, &Copy::port); }

  void move(std::size_t n, std::size_t channel, std::size_t output) {
    Node& node = nodes_[n];
    Input& in = node.in[channel];
    Copy& copy = copy_by(in, output);
    const Piece piece = in.flits[copy.sent];
    ++copy.sent;
    --node.out[copy.output].room;
    const std::size_t vc = copy.output % vcs();
    if (output == 4) {
      traffic_.flit_delivered({piece.packet.source, static_cast<std::int32_t>(n), piece.packet.created}, piece.tail,
                              now_ + 3);
      at(now_ + 5 + c_.credit_cycles, {Event::kCredit, n, copy.output, {}});
    } else {
      at(now_ + 2 + c_.link_cycles, {Event::kArrival, behind(n, output), opposite(output) * vcs() + vc, piece});
    }
    if (piece.tail) {
      node.out[copy.output].held = false;
      copy.state = Copy::kLeft;
    }
    const auto has_left = [](const Copy& one) { return one.state == Copy::kLeft || one.sent > 0; };
    if (std::ranges::all_of(in.copies, has_left)) free_first(n, channel);
  }

  void free_first(std::size_t n, std::size_t channel) {
    Input& in = nodes_[n].in[channel];
    const bool tail = in.flits.front().tail;
    in.flits.pop_front();
    for (Copy& copy : in.copies) copy.sent -= copy.state == Copy::kLeft ? 0 : 1;
    const std::size_t from = channel / vcs();
    if (from == 4) {
      at(now_ + 2, {Event::kSourceCredit, n, channel % vcs(), {}});
    } else {
      at(now_ + 1 + c_.link_cycles + c_.credit_cycles,
         {Event::kCredit, behind(n, from), opposite(from) * vcs() + channel % vcs(), {}});
    }
    if (!tail) return;
    in.copies.clear();
    if (!in.flits.empty()) begin(n, in, now_ + 1);
  }

  FlitMeshConfig c_;
  FlitTraffic& traffic_;
  std::vector<Node> nodes_;
  std::multimap<Cycles, Event> events_;
  Cycles now_ = 0;
};

}  // namespace

void run_flit_reference(const FlitMeshConfig& config, FlitTraffic& traffic, Cycles cycles) {
  FlitReference(config, traffic).run(cycles);
}

}  // namespace kernbench::testing
