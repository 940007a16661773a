#include "tests/hw/network_reference.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace kernbench::testing {
namespace {

class NetworkReference {
 public:
  NetworkReference(const HandMadeNetwork& made, const std::vector<Injection>& injections)
      : plan_(made.plan),
        routing_(made.routing()),
        injections_(injections),
        arrivals_(arrivals_of(injections)),
        links_(plan_.links.size()) {
    for (std::size_t i = 0; i < injections.size(); ++i) {
      std::vector<std::int32_t> to = injections[i].also;
      to.insert(to.begin(), injections[i].destination);
      sources_[injections[i].source][injections[i].network].push_back({i, injections[i].ready, to});
    }
  }

  std::vector<Flight> run(std::int64_t end) {
    std::vector<Flight> flights(arrivals_.size(), Flight{{-1}, {-1}});
    arrived_ = &flights;
    for (now_ = 0; now_ < end; ++now_) {
      enter();
      for (std::size_t node = 0; node < plan_.nodes.size(); ++node) {
        if (plan_.nodes[node].kind == NodeKind::kRouter) arbitrate(static_cast<std::int32_t>(node));
      }
    }
    return flights;
  }

 private:
  struct Held {
    std::size_t packet = 0;
    Flight at;
    std::vector<std::int32_t> to{};  // that it has not left for
    bool fed = false;                // a copy has left
    std::int64_t left_at = 0;        // when the last of those that have is out
  };
  struct Freed {
    std::int64_t at = 0;
    Bytes bytes = 0;
  };
  struct Buffer {
    std::deque<Held> packets;
    Bytes taken = 0;
    std::vector<Freed> freed;
    std::int64_t last_freed = 0;
  };
  struct LinkState {
    std::int64_t free_at = 0;
    std::int64_t feeding_until = 0;
    std::pair<std::int32_t, std::int64_t> granted = {-1, -1};  // input link, virtual channel
    std::int64_t fed = -1;
    std::map<std::int64_t, Buffer> buffers;
  };
  using Request = std::pair<std::int32_t, std::int64_t>;  // input link, virtual channel

  [[nodiscard]] std::int64_t channel_of(std::size_t packet) const {
    if (injections_[packet].network == VirtualNetwork::kCredits) return plan_.virtual_channels;
    return injections_[packet].destination / plan_.virtual_channels % plan_.virtual_channels;
  }
  [[nodiscard]] const NetworkLink& link(std::int32_t id) const { return plan_.links[static_cast<std::size_t>(id)]; }
  [[nodiscard]] LinkState& state(std::int32_t id) { return links_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Bytes bytes_of(std::size_t packet) const { return injections_[packet].bytes; }
  [[nodiscard]] bool leads_to_router(std::int32_t id) const {
    return plan_.nodes[static_cast<std::size_t>(link(id).to)].kind == NodeKind::kRouter;
  }

  [[nodiscard]] bool may_enter(std::int32_t id, std::size_t packet) {
    if (state(id).free_at > now_) return false;
    if (!leads_to_router(id)) return true;
    const Buffer& buffer = state(id).buffers[channel_of(packet)];
    Bytes taken = buffer.taken;
    for (const Freed& freed : buffer.freed) taken -= freed.at <= now_ ? freed.bytes : 0;
    return taken + bytes_of(packet) <= std::max(link(id).buffer, 2 * bytes_of(packet));
  }

  void put_on(std::int32_t id, std::size_t packet, std::int64_t tail, const std::vector<std::int32_t>& to) {
    LinkState& out = state(id);
    out.free_at = std::max(now_ + link(id).bandwidth.time_for(bytes_of(packet)).value, tail);
    const Flight there{{now_ + link(id).latency.value}, {out.free_at + link(id).latency.value}};
    if (!leads_to_router(id)) {
      const auto place = std::ranges::find(arrivals_, Arrival{packet, to.front()});
      arrived_->at(static_cast<std::size_t>(place - arrivals_.begin())) = there;
      return;
    }
    Buffer& buffer = out.buffers[channel_of(packet)];
    buffer.taken += bytes_of(packet);
    buffer.packets.push_back({packet, there, to});
  }

  void enter() {
    for (auto& [node, queues] : sources_) {
      const std::int32_t first = first_link(node);
      const auto enters = [&](std::deque<Held>& packets) {
        if (packets.empty() || packets.front().at.head.value > now_) return false;
        if (!may_enter(first, packets.front().packet)) return false;
        put_on(first, packets.front().packet, packets.front().at.tail.value, packets.front().to);
        packets.pop_front();
        return true;
      };
      while (enters(queues[VirtualNetwork::kCredits]) || enters(queues[VirtualNetwork::kData])) {
      }
    }
  }

  [[nodiscard]] std::int32_t first_link(std::int32_t node) const {
    std::size_t i = 0;
    while (plan_.links[i].from != node) ++i;
    return static_cast<std::int32_t>(i);
  }

  /// The destinations of a packet, by the link that they leave by.
  std::map<std::int32_t, std::vector<std::int32_t>> wanted(std::int32_t router, const Held& held) {
    std::map<std::int32_t, std::vector<std::int32_t>> all;
    for (const std::int32_t to : held.to) all[routing_(router, to, 0)].push_back(to);
    return all;
  }

  [[nodiscard]] bool is_there(const Buffer& buffer, std::int64_t hop) const {
    return !buffer.packets.empty() && buffer.packets.front().at.head.value + hop <= now_;
  }

  /// Credits pass beside the port, and copies of what it has fed.
  [[nodiscard]] bool needs_port(std::int64_t channel, const Held& held) const {
    return channel < plan_.virtual_channels && !held.fed;
  }

  /// Requests to a router, by the link they ask for.
  std::map<std::int32_t, std::vector<Request>> requests(std::int32_t router) {
    std::map<std::int32_t, std::vector<Request>> all;
    const std::int64_t hop = plan_.nodes[static_cast<std::size_t>(router)].hop.value;
    for (std::int32_t in = 0; in < static_cast<std::int32_t>(plan_.links.size()); ++in) {
      if (link(in).to != router) continue;
      for (auto& [number, buffer] : state(in).buffers) {
        if (!is_there(buffer, hop)) continue;
        const Held& first = buffer.packets.front();
        if (state(in).feeding_until > now_ && needs_port(number, first)) continue;
        for (const auto& [out, to] : wanted(router, first)) {
          if (may_enter(out, first.packet)) all[out].emplace_back(in, number);
        }
      }
    }
    return all;
  }

  void arbitrate(std::int32_t router) {
    for (auto all = requests(router); !all.empty(); all = requests(router)) {
      std::map<std::int32_t, std::map<std::int64_t, std::vector<std::int32_t>>> offers;  // links, by port and channel
      for (auto& [out, asking] : all) {
        std::sort(asking.begin(), asking.end());
        const auto after = std::upper_bound(asking.begin(), asking.end(), state(out).granted);
        const Request chosen = after == asking.end() ? asking.front() : *after;
        offers[chosen.first][chosen.second].push_back(out);
      }
      for (auto& [in, by_channel] : offers) {
        std::vector<std::int64_t> numbers;  // of those that need the port
        for (const auto& [number, links] : by_channel) {
          if (!needs_port(number, state(in).buffers[number].packets.front())) {
            for (const std::int32_t out : links) grant(router, {in, number}, out);
          } else {
            numbers.push_back(number);
          }
        }
        if (numbers.empty()) continue;
        const auto after = std::upper_bound(numbers.begin(), numbers.end(), state(in).fed);
        const std::int64_t number = after == numbers.end() ? numbers.front() : *after;
        for (const std::int32_t out : by_channel[number]) grant(router, {in, number}, out);
      }
    }
  }

  void grant(std::int32_t router, const Request& request, std::int32_t out) {
    LinkState& in = state(request.first);
    Buffer& buffer = in.buffers[request.second];
    Held& held = buffer.packets.front();
    const std::int64_t hop = plan_.nodes[static_cast<std::size_t>(router)].hop.value;
    if (needs_port(request.second, held)) {
      in.fed = request.second;
      in.feeding_until = now_ + link(request.first).bandwidth.time_for(bytes_of(held.packet)).value;
    }
    held.fed = true;
    state(out).granted = request;
    const std::vector<std::int32_t> to = wanted(router, held)[out];
    for (const std::int32_t one : to) std::erase(held.to, one);
    put_on(out, held.packet, held.at.tail.value + hop, to);
    held.left_at = std::max(held.left_at, state(out).free_at);
    if (!held.to.empty()) return;
    buffer.last_freed = std::max(buffer.last_freed, held.left_at + link(request.first).latency.value);
    buffer.freed.push_back({buffer.last_freed, bytes_of(held.packet)});
    buffer.packets.pop_front();
  }

  const NetworkPlan& plan_;
  Network::Routing routing_;
  const std::vector<Injection>& injections_;
  std::vector<Arrival> arrivals_;
  std::vector<LinkState> links_;
  std::map<std::int32_t, std::map<VirtualNetwork, std::deque<Held>>> sources_;
  std::vector<Flight>* arrived_ = nullptr;
  std::int64_t now_ = 0;
};

}  // namespace

std::vector<Flight> run_network_reference(const HandMadeNetwork& made, const std::vector<Injection>& injections,
                                          std::int64_t end) {
  return NetworkReference(made, injections).run(end);
}

}  // namespace kernbench::testing
