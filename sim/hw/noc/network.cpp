#include "sim/hw/noc/network.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/base/checked.hpp"

namespace kernbench {

namespace {

bool switches(const NetworkNode& node) { return node.kind == NodeKind::kRouter || node.kind == NodeKind::kSwitch; }

/// Round robin: after `last` comes the next higher number, after the highest the lowest.
bool comes_before(std::int32_t a, std::int32_t b, std::int32_t last) {
  return (a > last) == (b > last) ? a < b : a > last;
}

/// The better of a candidate and the best so far (-1: none).
std::int32_t better(std::int32_t candidate, std::int32_t best, std::int32_t last) {
  return best < 0 || comes_before(candidate, best, last) ? candidate : best;
}

}  // namespace

Network::Network(const sc_core::sc_module_name& name, Calendar& calendar, const NetworkPlan& plan, Routing routing)
    : sc_module(name),
      calendar_(calendar),
      plan_(plan),
      routing_(std::move(routing)),
      channels_per_link_(static_cast<std::int32_t>(std::max<std::int64_t>(plan.virtual_channels, 1))),
      channels_per_class_(static_cast<std::int32_t>(std::max<std::int64_t>(plan.virtual_channels / plan.classes, 1))),
      ports_(plan.links.size()),
      channels_(plan.links.size() * static_cast<std::size_t>(channels_per_link_)),
      routers_(plan.nodes.size()),
      sources_(plan.nodes.size()) {
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) routers_[node].hop = plan.nodes[node].hop;
  std::vector<std::int32_t> ways_in(plan.nodes.size());
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    const NetworkLink& link = plan.links[i];
    ports_[i].link = &link;
    ports_[i].to_router = switches(plan.nodes.at(static_cast<std::size_t>(link.to)));
    ports_[i].from_router = switches(plan.nodes.at(static_cast<std::size_t>(link.from)));
    const bool second_way_in = !ports_[i].to_router && ++ways_in[static_cast<std::size_t>(link.to)] > 1;
    Source& source = sources_[static_cast<std::size_t>(link.from)];
    const bool second_way_out = !ports_[i].from_router && source.link >= 0;
    if (second_way_in || second_way_out || (!ports_[i].to_router && !ports_[i].from_router)) {
      throw std::invalid_argument(link.name + ": an endpoint has one link to a router, and one from it");
    }
    if (!ports_[i].from_router) source.link = static_cast<std::int32_t>(i);
    if (ports_[i].to_router) {
      ports_[i].room = link.buffer;
    } else {
      sources_[static_cast<std::size_t>(link.to)].link_to = static_cast<std::int32_t>(i);
    }
  }
  calendar.enroll(*this);
}

void Network::inject(const NetworkPacket& packet, Flight ready) {
  Source& source = sources_[static_cast<std::size_t>(packet.source)];
  waiting_.push(source.packets, {packet, ready, source.link, 0});
  if (waiting_.only_one(source.packets)) drain(source);
}

void Network::limit(std::int32_t endpoint, Bytes bytes) {
  port(sources_.at(static_cast<std::size_t>(endpoint)).link_to).room = bytes;
}

void Network::taken_out(std::int32_t endpoint, Bytes bytes, Picoseconds at) {
  const std::int32_t link = sources_.at(static_cast<std::size_t>(endpoint)).link_to;
  if (port(link).room > 0) give_back(link * channels_per_link_, bytes, at + port(link).link->latency);
}

/// The buffer at the far end of the link that a packet waits for: a router's virtual channel, or an endpoint's port.
Network::Channel& Network::buffer_of(const Waiting& waiting) {
  return channel(port(waiting.link).to_router ? channel_of(waiting) : waiting.link * channels_per_link_);
}

void Network::drain(Source& source) {
  // The link has no other user: once the credit is known, so is the start, be it in the future.
  while (!source.packets.empty()) {
    const Waiting& waiting = waiting_.front(source.packets);
    Channel& to = buffer_of(waiting);
    const Picoseconds link_free = std::max(waiting.flight.head, port(waiting.link).free_at);
    const Picoseconds start = to.credit.room_at(returns_, port(waiting.link).room, waiting.packet.bytes, link_free);
    if (start == kForever) {
      to.starved = true;
      return;
    }
    const Waiting leaving = waiting_.pop(source.packets);
    arrive(leaving, send(leaving, {start, leaving.flight.tail}));
  }
}

std::int32_t Network::channel_of(const Waiting& waiting) const {
  // Parallel links are chosen by the destination's lowest digits (16.10): other digits spread over virtual channels.
  const std::int32_t in_class = waiting.packet.destination / channels_per_class_ % channels_per_class_;
  return waiting.link * channels_per_link_ +
         (waiting.channel_class * channels_per_class_ + in_class) % channels_per_link_;
}

Picoseconds Network::time_for(Port& port, Bytes bytes) {
  if (bytes != port.last_bytes) {
    port.last_bytes = bytes;
    port.last_time = port.link->bandwidth.time_for(bytes);
  }
  return port.last_time;
}

/// Puts a packet on its link, which it may enter at once (in.head); returns its flight at the far end.
Flight Network::send(const Waiting& waiting, Flight in) {
  Port& out = port(waiting.link);
  const Bytes bytes = waiting.packet.bytes;
  const Picoseconds duration = time_for(out, bytes);
  out.free_at = std::max(in.head + duration, in.tail);
  out.totals.busy += duration;
  out.totals.bytes = checked_add(out.totals.bytes, bytes, "bytes on a link", kInBytes);
  ++out.totals.packets;
  if (out.room > 0) buffer_of(waiting).credit.take(returns_, bytes, calendar_.now());
  return {in.head + out.link->latency, out.free_at + out.link->latency};
}

/// Announces a packet that is on its way over a link at the router where it leads.
void Network::arrive(const Waiting& packet, Flight flight) {
  const NetworkLink& in = *port(packet.link).link;
  const std::int32_t out = routing_(in.to, packet.packet.destination);
  const std::int32_t out_class = next_class(&in, *port(out).link, packet.channel_class);
  const std::int32_t id = channel_of(packet);
  Router& at = router(in.to);
  const bool first = channel(id).packets.empty();
  waiting_.push(channel(id).packets, {packet.packet, flight, out, out_class});
  if (!first) return;
  at.waiting.push_back(id);
  if (!at.arbitrating) wake(in.to, earliest(at, id));
}

/// When the first packet of a channel may leave the router, as far as is known now.
Picoseconds Network::earliest(const Router& router, std::int32_t id) {
  const Waiting& waiting = waiting_.front(channel(id).packets);
  const Port& out = port(waiting.link);
  const Picoseconds at =
      std::max({waiting.flight.head + router.hop, port(link_of(id)).feeding_until, out.free_at, calendar_.now()});
  if (out.room == 0) return at;
  Channel& to = buffer_of(waiting);
  const Picoseconds room = to.credit.room_at(returns_, out.room, waiting.packet.bytes, at);
  if (room == kForever) to.starved = true;
  return room;
}

void Network::wake(std::int32_t node, Picoseconds at) {
  Router& woken = router(node);
  if (at == kForever || (!woken.wakes.empty() && woken.wakes.back() <= at)) return;  // that one will look again
  if (!woken.process.handle()) woken.process = serve(node);
  woken.wakes.push_back(at);
  // After all that is announced at that instant.
  calendar_.schedule(woken.process.handle(), at, Phase::kYielding);
}

Process Network::serve(std::int32_t node) {
  for (;;) {
    router(node).wakes.pop_back();
    arbitrate(router(node));
    look_again(node);
    co_await std::suspend_always{};
  }
}

void Network::look_again(std::int32_t node) {
  Router& router = this->router(node);
  if (router.arbitrating) return;
  Picoseconds next = kForever;
  for (const std::int32_t id : router.waiting) next = std::min(next, earliest(router, id));
  wake(node, next);
}

void Network::arbitrate(Router& router) {
  router.arbitrating = true;
  for (;;) {
    requests_.clear();
    for (const std::int32_t id : router.waiting) {
      if (earliest(router, id) > calendar_.now()) continue;
      requests_.push_back({id, waiting_.front(channel(id).packets).link});
    }
    if (requests_.empty()) break;
    match();
    for (const std::int32_t id : winners_) grant(router, id);
  }
  router.arbitrating = false;
}

/// Each link is offered to one of the channels that ask for it, each port takes one of its channels' offers.
void Network::match() {
  winners_.clear();
  for (const Request& request : requests_) {
    Port& out = port(request.link);
    out.offer = better(request.channel, out.offer, out.granted);
  }
  for (const Request& request : requests_) {
    Port& in = port(link_of(request.channel));
    if (port(request.link).offer == request.channel) in.accepted = better(request.channel, in.accepted, in.fed);
  }
  for (const Request& request : requests_) {
    if (port(link_of(request.channel)).accepted == request.channel) winners_.push_back(request.channel);
  }
  for (const Request& request : requests_) {
    port(request.link).offer = -1;
    port(link_of(request.channel)).accepted = -1;
  }
}

void Network::grant(Router& router, std::int32_t id) {
  Fifo& packets = channel(id).packets;
  const Waiting waiting = waiting_.pop(packets);
  if (packets.empty()) router.waiting.erase(std::find(router.waiting.begin(), router.waiting.end(), id));
  Port& in = port(link_of(id));
  Port& out = port(waiting.link);
  in.fed = id;
  out.granted = id;
  in.feeding_until = calendar_.now() + time_for(in, waiting.packet.bytes);
  const Flight flight = send(waiting, {calendar_.now(), waiting.flight.tail + router.hop});
  give_back(id, waiting.packet.bytes, out.free_at + in.link->latency);
  if (out.to_router) {
    arrive(waiting, flight);
  } else {
    waiting.packet.sink->delivered(waiting.packet, flight);
  }
}

void Network::give_back(std::int32_t id, Bytes bytes, Picoseconds at) {
  Channel& channel = this->channel(id);
  channel.credit.give_back(returns_, bytes, at);
  if (!std::exchange(channel.starved, false)) return;
  const Port& sender = port(link_of(id));
  if (sender.from_router) {
    look_again(sender.link->from);
  } else {
    drain(sources_[static_cast<std::size_t>(sender.link->from)]);
  }
}

Picoseconds Network::latency(std::int32_t source, std::int32_t destination) const {
  const NetworkLink* link =
      &plan_.links.at(static_cast<std::size_t>(sources_.at(static_cast<std::size_t>(source)).link));
  Picoseconds sum = link->latency;
  while (link->to != destination) {
    sum += plan_.nodes[static_cast<std::size_t>(link->to)].hop;
    link = &plan_.links[static_cast<std::size_t>(routing_(link->to, destination))];
    sum += link->latency;
  }
  return sum;
}

std::vector<LinkTotals> Network::totals() const {
  std::vector<LinkTotals> totals;
  totals.reserve(ports_.size());
  for (const Port& port : ports_) totals.push_back(port.totals);
  return totals;
}

std::int64_t Network::packet_hops() const {
  std::int64_t sum = 0;
  for (const Port& port : ports_) sum += port.totals.packets;
  return sum;
}

std::string Network::waiting() const {
  constexpr int kShown = 8;
  int blocked = 0;
  std::string text;
  const auto add = [&](const std::string& where, const Waiting& waiting) {
    if (++blocked > kShown) return;
    text += (blocked == 1 ? "" : "; ") + where + " has a packet for " +
            plan_.nodes[static_cast<std::size_t>(waiting.packet.destination)].name + " that waits for " +
            plan_.links[static_cast<std::size_t>(waiting.link)].name + ", virtual channel " +
            std::to_string(channel_of(waiting) % channels_per_link_);
  };
  for (std::size_t node = 0; node < routers_.size(); ++node) {
    const std::string& name = plan_.nodes[node].name;
    if (!sources_[node].packets.empty()) add(name, waiting_.front(sources_[node].packets));
    for (const std::int32_t id : routers_[node].waiting) {
      add(name, waiting_.front(channels_[static_cast<std::size_t>(id)].packets));
    }
  }
  if (blocked == 0) return "";
  if (blocked > kShown) text += "; and " + std::to_string(blocked - kShown) + " more";
  return std::string(name()) + ": " + text;
}

}  // namespace kernbench
