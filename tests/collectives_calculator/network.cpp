#include "tests/collectives_calculator/network.hpp"

#include <algorithm>

namespace calc {

Network::Network(Calendar& calendar, const Topology& topology)
    : calendar_(calendar),
      topology_(topology),
      links_(topology.links().size()),
      sources_(topology.nodes().size()),
      routers_(topology.nodes().size()) {
  const Machine& machine = topology.machine();
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link& link = topology.links()[l];
    LinkState& state = links_[l];
    const NodeKind kind = topology.nodes()[link.to].kind;
    if (topology.switches(link.to)) {
      state.rooms.resize(topology.channels());
      for (Room& room : state.rooms) room.buffer = link.wiring.buffer;
      Router& router = routers_[link.to];
      state.input = static_cast<int>(router.inputs.size());
      router.inputs.push_back({static_cast<int>(l)});  // in the order of link numbers (17.6)
    } else if (kind == NodeKind::hbm || kind == NodeKind::sram) {
      state.rooms.resize(1);
      state.rooms[0].buffer = kind == NodeKind::hbm ? machine.hbm_port_buffer : machine.sram_port_buffer;
    }
  }
  for (Router& router : routers_) router.waiting.resize(router.inputs.size() * topology.channels());
}

// 17.4, 4.18: when `bytes` find room, as far as returns are known.
Time Network::Room::when(Bytes bytes, Time now) {
  while (!returns.empty() && returns.front().first <= now) {
    used -= returns.front().second;
    returns.pop_front();
  }
  const Bytes limit = std::max(buffer, 2 * bytes);
  Bytes left = used;
  if (left + bytes <= limit) return now;
  for (const auto& [time, returned] : returns) {
    left -= returned;
    if (left + bytes <= limit) return time;
  }
  return never;
}

void Network::give_back(int link, int channel, Bytes bytes, Time at) {
  Room& room = links_[link].rooms[channel];
  room.last_return = std::max(room.last_return, at);  // 17.4: not before that of the packets before it
  room.returns.emplace_back(room.last_return, bytes);
  const int from = topology_.links()[link].from;
  if (topology_.switches(from))
    wake_router(from, room.last_return);
  else
    wake_source(from, room.last_return);
}

Time Network::earliest(const Packet& packet, Time now) {
  const Hop& next = packet.route->hops[packet.hop];
  LinkState& link = links_[next.link];
  Time time = std::max({now, packet.head, link.free});
  if (!link.rooms.empty()) {
    const Time room = link.rooms[link.rooms.size() == 1 ? 0 : next.channel].when(packet.bytes, now);
    time = std::max(time, room);
  }
  return time;
}

// 17.1: the packet enters its next link now. Returns when its tail has.
Time Network::enter(PacketPointer packet) {
  const Hop next = packet->route->hops[packet->hop++];
  LinkState& link = links_[next.link];
  const Time start = calendar_.now();
  const Time time = duration(packet->bytes, wiring(next.link).bandwidth);
  const Time free = std::max(start + time, packet->tail);
  link.free = free;
  link.busy += time;
  link.carried += packet->bytes;
  if (!link.rooms.empty()) link.rooms[link.rooms.size() == 1 ? 0 : next.channel].used += packet->bytes;
  const int to = topology_.links()[next.link].to;
  const Time ahead = wiring(next.link).latency + topology_.hop(to);
  packet->head = start + ahead;
  packet->tail = free + ahead;
  if (topology_.switches(to)) {
    const Time head = packet->head;
    Router& router = routers_[to];
    router.waiting[link.input * topology_.channels() + next.channel].push_back(std::move(packet));
    wake_router(to, head);
  } else {
    packet->arrived(packet->head, packet->tail);
  }
  return free;
}

void Network::hand_over(PacketPointer packet, Traffic traffic) {
  const int node = topology_.links()[packet->route->hops[0].link].from;
  Source& source = sources_[node];
  const Time head = packet->head;
  (traffic == Traffic::credit ? source.credits : source.data).push_back(std::move(packet));
  wake_source(node, head);
}

void Network::wake_source(int node, Time at) {
  Source& source = sources_[node];
  if (source.credits.empty() && source.data.empty()) return;
  at = std::max(at, calendar_.now());
  if (at >= source.wake) return;
  source.wake = at;
  calendar_.at(at, Phase::choosing, [this, node] { run_source(node); });
}

void Network::run_source(int node) {
  Source& source = sources_[node];
  const Time now = calendar_.now();
  if (source.wake != now) return;  // an earlier wake-up has done this one's work
  source.wake = never;
  for (auto* queue : {&source.credits, &source.data}) {
    if (queue->empty() || earliest(*queue->front(), now) > now) continue;
    PacketPointer packet = std::move(queue->front());
    queue->pop_front();
    enter(std::move(packet));
  }
  Time next = never;
  for (auto* queue : {&source.credits, &source.data})
    if (!queue->empty()) next = std::min(next, earliest(*queue->front(), now));
  if (next != never) wake_source(node, next);
}

void Network::wake_router(int node, Time at) {
  Router& router = routers_[node];
  at = std::max(at, calendar_.now());
  if (at >= router.wake) return;
  router.wake = at;
  calendar_.at(at, Phase::yielding, [this, node] { run_router(node); });
}

void Network::run_router(int node) {
  Router& router = routers_[node];
  const Time now = calendar_.now();
  if (router.wake != now) return;
  router.wake = never;
  while (take_turns(router, now)) {
  }
  Time next = never;
  for (std::size_t c = 0; c < router.waiting.size(); ++c) {
    if (router.waiting[c].empty()) continue;
    const Input& input = router.inputs[c / topology_.channels()];
    next = std::min(next, std::max(input.free, earliest(*router.waiting[c].front(), now)));
  }
  if (next != never) wake_router(node, next);
}

// 17.6: round robin from x: the first number above x, or else the lowest.
static bool precedes(int a, int b, int last) { return (a > last) != (b > last) ? a > last : a < b; }

bool Network::take_turns(Router& router, Time now) {
  const int per_input = topology_.channels();
  std::vector<std::pair<int, int>> offers;  // link, channel
  for (int c = 0; c < static_cast<int>(router.waiting.size()); ++c) {
    if (router.waiting[c].empty()) continue;
    const Packet& first = *router.waiting[c].front();
    if (router.inputs[c / per_input].free > now || earliest(first, now) > now) continue;
    const int link = first.route->hops[first.hop].link;
    const auto same = std::find_if(offers.begin(), offers.end(), [&](const auto& o) { return o.first == link; });
    if (same == offers.end())
      offers.emplace_back(link, c);
    else if (precedes(c, same->second, links_[link].last_channel))
      same->second = c;
  }
  for (int i = 0; i < static_cast<int>(router.inputs.size()); ++i) {
    int chosen = -1;
    for (const auto& [link, channel] : offers)
      if (channel / per_input == i && (chosen < 0 || precedes(channel, chosen, router.inputs[i].last_fed)))
        chosen = channel;
    if (chosen >= 0) leave(router, chosen, now);
  }
  return !offers.empty();
}

void Network::leave(Router& router, int channel, Time now) {
  Input& input = router.inputs[channel / topology_.channels()];
  PacketPointer packet = std::move(router.waiting[channel].front());
  router.waiting[channel].pop_front();
  links_[packet->route->hops[packet->hop].link].last_channel = channel;
  input.last_fed = channel;
  input.free = now + duration(packet->bytes, wiring(input.link).bandwidth);  // 17.5
  const Bytes bytes = packet->bytes;
  const Time entered = enter(std::move(packet));
  give_back(input.link, channel % topology_.channels(), bytes, entered + wiring(input.link).latency);  // 17.4
}

}  // namespace calc
