#include "sim/hw/noc/network.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/base/checked.hpp"

namespace kernbench {

namespace {

bool switches(const NetworkNode& node) { return node.kind == NodeKind::kRouter || node.kind == NodeKind::kSwitch; }

}  // namespace

Network::Network(const sc_core::sc_module_name& name, Calendar& calendar, const NetworkPlan& plan, Routing routing)
    : sc_module(name),
      calendar_(calendar),
      plan_(plan),
      routing_(std::move(routing)),
      data_channels_(static_cast<std::int32_t>(std::max<std::int64_t>(plan.virtual_channels, 1))),
      credit_channels_(static_cast<std::int32_t>(plan.classes)),
      channels_per_link_(data_channels_ + credit_channels_),
      channels_per_class_(static_cast<std::int32_t>(std::max<std::int64_t>(plan.virtual_channels / plan.classes, 1))),
      ports_(plan.links.size()),
      channels_(plan.links.size() * static_cast<std::size_t>(channels_per_link_)),
      routers_(plan.nodes.size()),
      sources_(plan.nodes.size()) {
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
    routers_[node].hop = plan.nodes[node].hop;
    sources_[node].sends_credits = plan.nodes[node].kind == NodeKind::kPe;
  }
  std::vector<std::int32_t> ways_in(plan.nodes.size());
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    const NetworkLink& link = plan.links[i];
    ports_[i].link = &link;
    for (std::int32_t of_link = 0; of_link < channels_per_link_; ++of_link) {
      const auto id = static_cast<std::int32_t>(i) * channels_per_link_ + of_link;
      channel(id).link = static_cast<std::int32_t>(i);
      channel(id).of_credits = of_link >= data_channels_;
    }
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
  const auto [from, to] = heading(packet.source, packet.destination);
  Source& source = sources_[static_cast<std::size_t>(from)];
  Fifo& packets = source.of(packet.network);
  waiting_.push(packets, waiting_for(source.link, plan_.routing.first_class(from, to), packet, to, ready));
  if (!waiting_.only_one(packets)) return;
  if (source.sends_credits) {
    look_again(from);
  } else {
    drain(from);
  }
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
  return channel(port(waiting.link).to_router ? waiting.channel : waiting.link * channels_per_link_);
}

Network::NextEntry Network::next_entry(Source& source) {
  NextEntry next;
  for (Fifo& packets : source.packets) {  // credits first
    if (packets.empty()) continue;
    const Waiting& waiting = waiting_.front(packets);
    Channel& to = buffer_of(waiting);
    const Port& out = port(waiting.link);
    const Picoseconds link_free = std::max(waiting.flight.head, out.free_at);
    const Picoseconds at = to.credit.room_at(returns_, out.room, waiting.packet.bytes, link_free);
    if (at == kForever) to.starved = true;
    if (at < next.at) next = {&packets, at};
  }
  return next;
}

/// Puts on an endpoint's link what enters it now; where nothing else can come in between, what enters it later too.
void Network::drain(std::int32_t node) {
  Source& source = sources_[static_cast<std::size_t>(node)];
  for (NextEntry next = next_entry(source); next.packets != nullptr; next = next_entry(source)) {
    if (source.sends_credits && next.at > calendar_.now()) return;
    Waiting leaving = waiting_.pop(*next.packets);
    const Picoseconds at = std::max(next.at, calendar_.now());
    const Flight there = send(leaving, {at, leaving.flight.tail});
    if (tells_contention_) share(leaving, nullptr, leaving.flight.head, at);
    arrive(leaving, there);
    leaving.packet.sink->entered(leaving.packet, at);
  }
}

Network::Waiting Network::waiting_for(std::int32_t link, std::int32_t channel_class, const NetworkPacket& packet,
                                      std::int32_t destination, Flight flight) const {
  Waiting waiting{packet, flight, link, channel_class, link * channels_per_link_};
  waiting.packet.destination = destination;
  if (packet.network == VirtualNetwork::kCredits) {
    waiting.channel += data_channels_ + channel_class % credit_channels_;
  } else {
    const std::int32_t in_class = destination / channels_per_class_ % channels_per_class_;
    waiting.channel += (channel_class * channels_per_class_ + in_class) % data_channels_;
  }
  return waiting;
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
  const std::int32_t id = packet.channel;
  Channel& to = channel(id);
  const bool first = to.packets.empty();
  const auto [node, destination] = heading(in.to, packet.packet.destination);
  if (packet.packet.tree == nullptr) {
    const std::int32_t out = routing_(node, destination, packet.channel_class);
    const std::int32_t out_class = next_class(&in, *port(out).link, packet.channel_class);
    waiting_.push(to.packets, waiting_for(out, out_class, packet.packet, destination, flight));
  } else {
    Waiting whole = packet;
    whole.flight = flight;
    waiting_.push(to.packets, whole);
  }
  if (!first) return;
  copy_first(to);
  Router& at = router(node);
  at.waiting.push_back(id);
  if (!at.arbitrating) wake(node, earliest(at, id));
}

void Network::copy_first(Channel& channel) {
  const Waiting& first = waiting_.front(channel.packets);
  if (first.packet.tree == nullptr) return;
  const MulticastTree& tree = *first.packet.tree;
  for (const std::int32_t number : tree.branch(first.packet.branch).behind) {
    const MulticastTree::Branch& branch = tree.branch(number);
    const std::int32_t to =
        branch.receiver < 0 ? first.packet.destination : tree.receivers[static_cast<std::size_t>(branch.receiver)];
    const std::int32_t as = next_class(port(first.link).link, *port(branch.link).link, first.channel_class);
    channel.copies.push_back(waiting_for(branch.link, as, first.packet, to, first.flight));
    channel.copies.back().packet.branch = number;
  }
}

void Network::wake(std::int32_t node, Picoseconds at) {
  Router& woken = router(node);
  if (at == kForever || (!woken.wakes.empty() && woken.wakes.back() <= at)) return;  // that one will look again
  if (!woken.process.handle()) woken.process = serve(node);
  woken.wakes.push_back(at);
  // After all that is announced at that instant; endpoints before routers.
  const bool is_source = sources_[static_cast<std::size_t>(node)].link >= 0;
  calendar_.schedule(woken.process.handle(), at, is_source ? Phase::kChoosing : Phase::kYielding);
}

Process Network::serve(std::int32_t node) {
  const bool is_source = sources_[static_cast<std::size_t>(node)].link >= 0;
  for (;;) {
    router(node).wakes.pop_back();
    if (is_source) {
      drain(node);
      look_again(node);
    } else {
      wake(node, arbitrate(router(node)));
    }
    co_await std::suspend_always{};
  }
}

void Network::look_again(std::int32_t node) {
  Source& source = sources_[static_cast<std::size_t>(node)];
  if (source.link >= 0) {
    const NextEntry next = next_entry(source);
    wake(node, next.at == kForever ? kForever : std::max(next.at, calendar_.now()));
    return;
  }
  Router& router = this->router(node);
  if (router.arbitrating) return;
  Picoseconds next = kForever;
  for (const std::int32_t id : router.waiting) next = std::min(next, earliest(router, id));
  wake(node, next);
}

void Network::give_back(std::int32_t id, Bytes bytes, Picoseconds at) {
  Channel& channel = this->channel(id);
  channel.credit.give_back(returns_, bytes, at);
  if (!std::exchange(channel.starved, false)) return;
  const std::int32_t sender = port(link_of(id)).link->from;
  const Source& source = sources_[static_cast<std::size_t>(sender)];
  if (source.link >= 0 && !source.sends_credits) {
    drain(sender);
  } else {
    look_again(sender);
  }
}

MulticastTree Network::tree(std::int32_t source, const std::vector<std::int32_t>& receivers) const {
  const std::int32_t first = sources_.at(static_cast<std::size_t>(source)).link;
  if (receivers.empty() || first < 0) throw std::invalid_argument("a packet to nobody, or from where nothing is sent");
  MulticastTree tree{receivers, {{first}}};
  for (std::size_t number = 0; number < receivers.size(); ++number) {
    const std::int32_t as = plan_.routing.first_class(source, receivers[number]);
    std::int32_t at = 0;
    while (plan_.link(tree.branch(at).link).to != receivers[number]) {
      at = tree.enter(at, routing_(plan_.link(tree.branch(at).link).to, receivers[number], as));
    }
    tree.branches[static_cast<std::size_t>(at)].receiver = static_cast<std::int32_t>(number);
  }
  return tree;
}

Picoseconds Network::latency(std::int32_t source, std::int32_t destination) const {
  NetworkPlan::Heading there = heading(source, destination);
  const NetworkLink* link =
      &plan_.links.at(static_cast<std::size_t>(sources_.at(static_cast<std::size_t>(there.at)).link));
  const std::int32_t as = plan_.routing.first_class(there.at, there.destination);
  Picoseconds sum = plan_.latency_over(*link);
  for (there = heading(link->to, there.destination); there.at != there.destination;
       there = heading(link->to, there.destination)) {
    link = &plan_.link(routing_(there.at, there.destination, as));
    sum += plan_.latency_over(*link);
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
            std::to_string(waiting.channel % channels_per_link_);
  };
  for (std::size_t node = 0; node < routers_.size(); ++node) {
    const std::string& name = plan_.nodes[node].name;
    for (const Fifo& packets : sources_[node].packets) {
      if (!packets.empty()) add(name, waiting_.front(packets));
    }
    for (const std::int32_t id : routers_[node].waiting) {
      for_each_first(channels_[static_cast<std::size_t>(id)], [&](const Waiting& one) { add(name, one); });
    }
  }
  if (blocked == 0) return "";
  if (blocked > kShown) text += "; and " + std::to_string(blocked - kShown) + " more";
  return std::string(name()) + ": " + text;
}

}  // namespace kernbench
