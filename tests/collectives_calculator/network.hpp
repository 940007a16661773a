// Packets in time: sources, links and routers (ADR-0017, 17.1 to 17.10).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "tests/collectives_calculator/calendar.hpp"
#include "tests/collectives_calculator/topology.hpp"

namespace calc {

struct Packet {
  const Route* route = nullptr;
  Bytes bytes = 0;
  Time head = 0, tail = 0;  // when they are there for the next link
  std::size_t hop = 0;
  std::function<void(Time head, Time tail)> arrived;  // called ahead of time
};
using PacketPointer = std::unique_ptr<Packet>;

class Network {
 public:
  Network(Calendar& calendar, const Topology& topology);

  // 17.9: hands a packet over to its source's queue; `head` and `tail` may lie in the future.
  void hand_over(PacketPointer packet, Traffic traffic);
  // 4.18: room at a memory's port that comes back.
  void give_back_port_room(int memory_link, Bytes bytes, Time at) { give_back(memory_link, 0, bytes, at); }

  Bytes bytes(int link) const { return links_[link].carried; }
  Time busy(int link) const { return links_[link].busy; }

 private:
  struct Room {  // behind a link: in one virtual channel, or at a memory's port
    Bytes buffer = 0, used = 0;
    std::deque<std::pair<Time, Bytes>> returns;
    Time last_return = 0;
    Time when(Bytes bytes, Time now);
  };
  struct LinkState {
    Time free = 0, busy = 0;
    Bytes carried = 0;
    std::vector<Room> rooms;  // per virtual channel; one at a memory's port; none at a PE or host
    int input = 0;            // its place among the links into its router
    int last_channel = -1;    // 17.6: the channel of the router that it was last given to
  };
  struct Source {  // 17.9
    std::deque<PacketPointer> credits, data;
    Time wake = never;
  };
  struct Input {
    int link = 0;
    Time free = 0;  // 17.5
    int last_fed = -1;
  };
  struct Router {
    std::vector<Input> inputs;
    std::vector<std::deque<PacketPointer>> waiting;  // per channel: input x virtual channels + virtual channel
    Time wake = never;
  };

  const Wiring& wiring(int link) const { return topology_.links()[link].wiring; }
  Time earliest(const Packet& packet, Time now);  // when it may enter its next link, for all that is announced
  Time enter(PacketPointer packet);
  void give_back(int link, int channel, Bytes bytes, Time at);
  void wake_source(int node, Time at);
  void wake_router(int node, Time at);
  void run_source(int node);
  void run_router(int node);
  bool take_turns(Router& router, Time now);
  void leave(Router& router, int channel, Time now);

  Calendar& calendar_;
  const Topology& topology_;
  std::vector<LinkState> links_;
  std::vector<Source> sources_;
  std::vector<Router> routers_;
};

}  // namespace calc
