// A router of the network: which packets leave it when (adr/0017, 17.2 to 17.6; adr/0065, 65.5).
#include <algorithm>
#include <utility>

#include "sim/hw/noc/network.hpp"

namespace kernbench {

namespace {

/// Round robin: after `last` comes the next higher number, after the highest the lowest.
bool comes_before(std::int32_t a, std::int32_t b, std::int32_t last) {
  return (a > last) == (b > last) ? a < b : a > last;
}

/// The better of a candidate and the best so far (-1: none).
std::int32_t better(std::int32_t candidate, std::int32_t best, std::int32_t last) {
  return best < 0 || comes_before(candidate, best, last) ? candidate : best;
}

}  // namespace

/// When the first packet of a channel may leave the router, as far as is known now.
Picoseconds Network::earliest(const Router& router, std::int32_t id) {
  Picoseconds first = kForever;
  for_each_first(channel(id), [&](const Waiting& one) { first = std::min(first, earliest(router, id, one)); });
  return first;
}

/// When it, or that copy of it, may.
Picoseconds Network::earliest(const Router& router, std::int32_t id, const Waiting& waiting) {
  const Port& out = port(waiting.link);
  const Channel& from = channel(id);
  Picoseconds at = std::max({waiting.flight.head + router.hop, out.free_at, calendar_.now()});
  if (from.needs_port()) at = std::max(at, port(from.link).feeding_until);
  if (out.room == 0) return at;
  Channel& to = buffer_of(waiting);
  const Picoseconds room = to.credit.room_at(returns_, out.room, waiting.packet.bytes, at);
  if (room == kForever) to.starved = true;
  return room;
}

Picoseconds Network::arbitrate(Router& router) {
  router.arbitrating = true;
  for (;;) {
    requests_.clear();
    Picoseconds next = kForever;
    for (const std::int32_t id : router.waiting) {
      for_each_first(channel(id), [&](const Waiting& one) {
        const Picoseconds at = earliest(router, id, one);
        next = std::min(next, at);
        if (at <= calendar_.now()) requests_.push_back({id, one.link});
      });
    }
    if (requests_.empty()) {
      router.arbitrating = false;
      return next;
    }
    match();
    for (const Request& granted : winners_) grant(router, granted);
  }
}

/// Each link is offered to one of the channels that ask for it, each port takes one of its channels, with all that this
/// is offered; credits, and copies of what it has fed already, leave without it.
void Network::match() {
  winners_.clear();
  for (const Request& request : requests_) {
    Port& out = port(request.link);
    out.offer = better(request.channel, out.offer, out.granted);
  }
  for (const Request& request : requests_) {
    if (port(request.link).offer != request.channel || !channel(request.channel).needs_port()) continue;
    Port& in = port(link_of(request.channel));
    in.accepted = better(request.channel, in.accepted, in.fed);
  }
  for (const Request& request : requests_) {
    const bool leaves =
        !channel(request.channel).needs_port() || port(link_of(request.channel)).accepted == request.channel;
    if (leaves && port(request.link).offer == request.channel) winners_.push_back(request);
  }
  for (const Request& request : requests_) {
    port(request.link).offer = -1;
    port(link_of(request.channel)).accepted = -1;
  }
}

void Network::grant(Router& router, const Request& granted) {
  const std::int32_t id = granted.channel;
  Channel& from = channel(id);
  Port& in = port(from.link);
  Port& out = port(granted.link);
  Waiting waiting = take(from, granted.link);
  const bool feeds = from.needs_port();
  from.fed = true;
  out.granted = id;
  if (feeds) {
    in.fed = id;
    in.feeding_until = calendar_.now() + time_for(in, waiting.packet.bytes);
  }
  const Flight flight = send(waiting, {calendar_.now(), waiting.flight.tail + router.hop});
  if (tells_contention_) share(waiting, feeds ? &in : nullptr, waiting.flight.head + router.hop, calendar_.now());
  from.left_at = std::max(from.left_at, out.free_at);
  if (from.copies.empty()) next_packet(router, id, waiting.packet.bytes);
  if (out.to_router) {
    arrive(waiting, flight);
  } else {
    waiting.packet.sink->delivered(waiting.packet, flight);
  }
}

Network::Waiting Network::take(Channel& channel, std::int32_t link) {
  if (channel.copies.empty()) return waiting_.front(channel.packets);
  const auto copy = std::ranges::find(channel.copies, link, &Waiting::link);
  Waiting taken = *copy;
  channel.copies.erase(copy);
  return taken;
}

void Network::next_packet(Router& router, std::int32_t id, Bytes bytes) {
  Channel& of = channel(id);
  static_cast<void>(waiting_.pop(of.packets));
  if (of.packets.empty()) {
    router.waiting.erase(std::find(router.waiting.begin(), router.waiting.end(), id));
  } else {
    copy_first(of);
  }
  of.fed = false;
  give_back(id, bytes, std::exchange(of.left_at, {}) + port(of.link).link->latency);
}

void Network::share(Waiting& entering, Port* in, Picoseconds ready, Picoseconds at) {
  Port& out = port(entering.link);
  const std::int32_t user = entering.packet.user;
  Picoseconds waited = out.entered.wait(user, ready, at);
  if (in != nullptr) waited = std::max(waited, in->left.wait(user, ready, at));
  entering.packet.contention += waited;
  out.entered.served(user, out.free_at);
  if (in != nullptr) in->left.served(user, in->feeding_until);
}

}  // namespace kernbench
