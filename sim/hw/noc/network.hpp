// The network: routers and links wired as a NetworkPlan says, entered and left at its endpoints (adr/0017).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "sim/engine/calendar.hpp"
#include "sim/engine/process.hpp"
#include "sim/hw/link/link.hpp"
#include "sim/hw/link/sharing.hpp"
#include "sim/hw/noc/credit.hpp"
#include "sim/hw/noc/fifo_pool.hpp"
#include "sim/hw/noc/network_packet.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

/// Traffic of one link.
struct LinkTotals {
  std::int64_t packets = 0;
  Bytes bytes = 0;
  Picoseconds busy;
};

/// Virtual cut-through with credits and round-robin arbitration. A router or a PE's way in is awake only when a packet
/// may leave it: it tells the next router, or the destination, ahead of time when the packet comes.
class Network : public sc_core::sc_module, private Waitable {
 public:
  /// The link on which a packet of a class for `destination` leaves `router`.
  using Routing =
      std::function<std::int32_t(std::int32_t router, std::int32_t destination, std::int32_t channel_class)>;

  /// The plan outlives the network. Throws std::invalid_argument where an endpoint has not one link to, and one from, a
  /// router.
  Network(const sc_core::sc_module_name& name, Calendar& calendar, const NetworkPlan& plan)
      : Network(name, calendar, plan,
                [&plan](std::int32_t router, std::int32_t destination, std::int32_t channel_class) {
                  return plan.next_link(router, destination, channel_class);
                }) {}
  /// With a routing that is not the plan's own.
  Network(const sc_core::sc_module_name& name, Calendar& calendar, const NetworkPlan& plan, Routing routing);

  /// The packet's bytes are ready at its source at `ready` (head not before now). Packets of one source and virtual
  /// network enter in the order of the calls; a source has unlimited room. Those of one source, destination and virtual
  /// network keep their order. Only PEs send credits.
  void inject(const NetworkPacket& packet, Flight ready);

  /// From now on a packet enters the link to `endpoint` only while what has entered it and has not been taken out fits
  /// into `bytes`, or is one packet (a buffer for all virtual channels). Endpoints nobody limits take everything.
  void limit(std::int32_t endpoint, Bytes bytes);
  /// The endpoint takes `bytes` out at `at`, not before now, in the order in which they came.
  void taken_out(std::int32_t endpoint, Bytes bytes, Picoseconds at);

  /// For packets from an endpoint to several others, in this order. Throws std::invalid_argument where there is none.
  [[nodiscard]] MulticastTree tree(std::int32_t source, const std::vector<std::int32_t>& receivers) const;

  /// Time of a message without bytes over an idle network.
  [[nodiscard]] Picoseconds latency(std::int32_t source, std::int32_t destination) const;

  /// By link of the plan.
  [[nodiscard]] std::vector<LinkTotals> totals() const;

  /// From now on packets are told what they have waited for those of others.
  void tell_contention() { tells_contention_ = true; }

  /// From now on, before the first packet, package 0 stands for every one: what leaves it for another comes back into
  /// it from one (62.3). Sources may be named as they are in any package.
  void stand_for_all_packages() { one_package_ = true; }

  /// Sum over the packets so far of the links they entered.
  [[nodiscard]] std::int64_t packet_hops() const;

 private:
  /// A packet that waits for `link`, its head and tail here at `flight`. One that has copies to leave by several links
  /// has that by which it came.
  struct Waiting {
    NetworkPacket packet;
    Flight flight;
    std::int32_t link = 0;
    std::int32_t channel_class = 0;
    std::int32_t channel = 0;  ///< of that link, by class and destination
  };

  /// One virtual channel of a link: the sender's credits, and the packets in the buffer at its far end.
  struct Channel {
    Credit credit;
    Fifo packets;
    std::vector<Waiting> copies;  // of its first packet, where that goes to several: those that have not left
    Picoseconds left_at;          // when the tails of those that have are out of the buffer
    std::int32_t link = 0;
    bool starved = false;  // a packet waits here for credit whose return is not known
    bool of_credits = false;
    bool fed = false;  // a copy of its first packet has left
    [[nodiscard]] bool needs_port() const { return !of_credits && !fed; }
  };

  /// A link, and the input port of the router that it leads to.
  struct Port {
    const NetworkLink* link = nullptr;
    bool to_router = false;
    bool from_router = false;
    Bytes room = 0;  // of the buffer at the far end; 0: it takes everything
    Picoseconds free_at;
    LinkTotals totals;
    Bytes last_bytes = -1;  // packets are mostly of one size: the division is done once
    Picoseconds last_time;
    std::int32_t granted = -1;   // channel that was last given this link
    std::int32_t fed = -1;       // channel of this port that was last fed into the crossbar
    Picoseconds feeding_until;   // the port feeds one packet of data at a time
    Sharing entered;             // by packets that entered the link,
    Sharing left;                // and by those that left the port
    std::int32_t offer = -1;     // scratch of the arbitration: this link is offered to a channel,
    std::int32_t accepted = -1;  // and one of this port's channels takes what it is offered
  };

  struct Router {
    Picoseconds hop;
    std::vector<std::int32_t> waiting;  // channels with packets
    std::vector<Picoseconds> wakes;     // scheduled, the earliest at the back
    bool arbitrating = false;
    Process process;
  };

  struct Request {
    std::int32_t channel = 0;
    std::int32_t link = 0;
  };

  /// What waits for an endpoint's link: a queue for each virtual network, in the order of the calls.
  struct Source {
    std::int32_t link = -1;
    std::int32_t link_to = -1;
    bool sends_credits = false;  // else what enters next is known as soon as it is handed over
    std::array<Fifo, 2> packets;
    [[nodiscard]] Fifo& of(VirtualNetwork network) { return packets[static_cast<std::size_t>(network)]; }
  };
  /// The packet that enters an endpoint's link next, as far as is known now.
  struct NextEntry {
    Fifo* packets = nullptr;
    Picoseconds at = kForever;
  };

  [[nodiscard]] Port& port(std::int32_t link) { return ports_[static_cast<std::size_t>(link)]; }
  [[nodiscard]] Channel& channel(std::int32_t id) { return channels_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Router& router(std::int32_t node) { return routers_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] std::int32_t link_of(std::int32_t id) { return channel(id).link; }
  /// As the packet goes on from there.
  [[nodiscard]] NetworkPlan::Heading heading(std::int32_t at, std::int32_t destination) const {
    return one_package_ ? plan_.seen_from_first_package({at, destination}) : NetworkPlan::Heading{at, destination};
  }
  /// Those that leave the router by different links: the channel's first packet, or what is left of its copies.
  template <class Visit>
  void for_each_first(const Channel& channel, Visit visit) const {
    if (channel.copies.empty()) return visit(waiting_.front(channel.packets));
    for (const Waiting& copy : channel.copies) visit(copy);
  }
  /// The first packet of a channel, if it has several destinations, is copied for each link that it leaves by.
  void copy_first(Channel& channel);
  /// As it begins to wait for `link`.
  [[nodiscard]] Waiting waiting_for(std::int32_t link, std::int32_t channel_class, const NetworkPacket& packet,
                                    std::int32_t destination, Flight flight) const;
  [[nodiscard]] Channel& buffer_of(const Waiting& waiting);

  Process serve(std::int32_t node);
  /// Lets through what may leave now. Returns when something else may, as far as is known.
  Picoseconds arbitrate(Router& router);
  void match();
  void grant(Router& router, const Request& granted);
  /// The first packet of a channel, or its copy for `link`, which it has no more.
  Waiting take(Channel& channel, std::int32_t link);
  /// The first packet has left by all its links.
  void next_packet(Router& router, std::int32_t id, Bytes bytes);
  /// The packet, ready at `ready`, enters its link at `at`, by way of an input port if it comes from a router's.
  void share(Waiting& entering, Port* in, Picoseconds ready, Picoseconds at);
  [[nodiscard]] Picoseconds earliest(const Router& router, std::int32_t id);
  [[nodiscard]] Picoseconds earliest(const Router& router, std::int32_t id, const Waiting& waiting);
  void look_again(std::int32_t node);
  void wake(std::int32_t node, Picoseconds at);

  Flight send(const Waiting& waiting, Flight in);
  void arrive(const Waiting& packet, Flight flight);
  void give_back(std::int32_t id, Bytes bytes, Picoseconds at);
  NextEntry next_entry(Source& source);
  void drain(std::int32_t node);
  static Picoseconds time_for(Port& port, Bytes bytes);
  [[nodiscard]] std::string waiting() const override;

  Calendar& calendar_;
  const NetworkPlan& plan_;
  Routing routing_;
  bool tells_contention_ = false;
  bool one_package_ = false;
  std::int32_t data_channels_;       // of a link
  std::int32_t credit_channels_;     // of a link: one a class
  std::int32_t channels_per_link_;   // both
  std::int32_t channels_per_class_;  // for data
  std::vector<Port> ports_;          // by link
  std::vector<Channel> channels_;    // by link and virtual channel
  std::vector<Router> routers_;      // by node
  std::vector<Source> sources_;      // by node
  FifoPool<Waiting> waiting_;
  FifoPool<CreditReturn> returns_;
  std::vector<Request> requests_;  // scratch of the arbitration
  std::vector<Request> winners_;
};

}  // namespace kernbench
