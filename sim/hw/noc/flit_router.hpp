// A router of a mesh, flit by flit and cycle by cycle: virtual-channel allocation, switch allocation, traversal
// (adr/0017). All ports and virtual channels are looked at together, as sets of bits. A packet that goes on by several
// ports has a copy for each, which has its own output channel and its own place in the input buffer.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sim/hw/noc/bits.hpp"

namespace kernbench {

/// Ports of a router: to and from its neighbours, and its node.
enum FlitPort : std::uint8_t { kEast, kWest, kSouth, kNorth, kNode };
inline constexpr int kFlitPorts = 5;

struct Flit {
  std::uint32_t packet = 0;
  FlitPort output = kNode;  ///< of the router that it goes to, or is in; only a head's counts
  bool head = false;
  bool tail = false;
  std::uint8_t copies = 0;  ///< instead of `output`, of a packet for several: the ports that it leaves by, a bit each
};

/// A channel is port x virtual channels + virtual channel; Set holds one bit a channel. Without kCopies a router knows
/// no flits with `copies`, and does not pay for them.
template <class Set, bool kCopies = false>
class FlitRouter {
 public:
  static constexpr int kMostChannels = static_cast<int>(sizeof(Set)) * 8;

  FlitRouter(int virtual_channels, int buffer_flits)
      : vcs_(virtual_channels),
        capacity_(static_cast<std::uint16_t>(buffer_flits)),
        port_((Set{1} << static_cast<unsigned>(virtual_channels)) - 1),
        flits_(static_cast<std::size_t>(channels() * buffer_flits)) {
    free_.fill(port_);
    for (Out& out : outs_) out.room = capacity_;
    for (int channel = 0; channel < channels(); ++channel) {
      port_of_[index(channel)] = static_cast<std::uint8_t>(channel / vcs_);
    }
  }

  [[nodiscard]] int channels() const { return kFlitPorts * vcs_; }

  /// A flit comes in. True when it is a head that came to the front: ask() follows, when its route is known.
  bool arrive(int channel, Flit flit) {
    In& in = ins_[index(channel)];
    slot(channel, in.front + in.count) = flit;
    ++in.count;
    if constexpr (kCopies) {
      if (has(copied_.channels, channel)) {
        more_to_copy(channel);
        return false;
      }
    }
    if (in.count > 1) return false;
    if (flit.head) return true;
    ready_ |= only<Set>(channel);
    return false;
  }

  /// The packet at the front of an input channel asks for an output channel.
  void ask(int channel) {
    const Flit& head = slot(channel, ins_[index(channel)].front);
    all_asking_ |= only<Set>(channel);
    if constexpr (kCopies) {
      if (head.copies != 0) {
        copied_.channels |= only<Set>(channel);
        copied_.of[index(channel)] = {.left = head.copies};
        for (std::uint64_t left = head.copies; left != 0;) asking_[index(take_lowest(left))] |= only<Set>(channel);
        return;
      }
    }
    asking_[head.output] |= only<Set>(channel);
  }

  /// Room for one more flit at the far end of an output channel.
  void credit(int channel) {
    Out& out = outs_[index(channel)];
    ++out.room;
    const bool held = !has(free_[port_of(channel)], channel - first_of(channel));
    if (!held) return;
    if constexpr (kCopies) {
      if (has(copied_.channels, out.owner)) {
        copied_.credited[port_of(channel)] |= only<Set>(out.owner);
        return;
      }
    }
    credited_ |= only<Set>(out.owner);
  }

  /// Whether step() may have something to do.
  [[nodiscard]] bool awake() const {
    if constexpr (kCopies) return (ready_ | all_asking_ | copied_.all_ready()) != 0;
    return (ready_ | all_asking_) != 0;
  }

  /// One cycle. For every flit that wins the switch calls `sink.sent(output channel, flit)`, and for every place of a
  /// buffer that is free again `sink.freed(input channel, next)`; `next` says that a head came to the front, so that
  /// ask() has to follow.
  template <class Sink>
  void step(Sink&& sink) {
    // Who asks for the switch is settled before this cycle's virtual-channel allocation.
    std::array<Set, kFlitPorts> requests{};
    Set any = 0;
    for (std::size_t port = 0; port < kFlitPorts; ++port) {
      requests[port] = routed_[port] & ready_ & credited_;
      if constexpr (kCopies) requests[port] |= copied_.ready[port] & copied_.credited[port];
      any |= requests[port];
    }
    if (all_asking_ != 0) allocate_channels();
    if (any != 0) allocate_switch(requests, sink);
  }

 private:
  struct In {
    std::uint16_t front = 0;  // of the ring
    std::uint16_t count = 0;
    std::uint8_t out = 0;     // output channel of the packet at the front
    std::uint8_t accept = 0;  // the output channel whose turn it is
  };
  struct Out {
    std::uint16_t room = 0;
    std::uint8_t owner = 0;  // input channel
    std::uint8_t grant = 0;  // the input channel whose turn it is
  };
  /// Of the packet for several that is first of an input channel.
  struct Copies {
    std::uint8_t left = 0;                          // ports by which its tail has not left
    std::array<std::uint8_t, kFlitPorts> out{};     // by port: output channel
    std::array<std::uint16_t, kFlitPorts> ahead{};  // by port that is left: flits in the buffer that have left by it
  };
  struct AllCopies {
    Set channels = 0;  // input channels whose first packet has asked for several ports
    // Of these, by output port:
    std::array<Set, kFlitPorts> ready{};     // has an output channel and a flit for it
    std::array<Set, kFlitPorts> credited{};  // its output channel has room
    std::array<Copies, kMostChannels> of{};
    [[nodiscard]] Set all_ready() const { return ready[0] | ready[1] | ready[2] | ready[3] | ready[4]; }
  };
  struct NoCopies {};

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::size_t port_of(int channel) const { return port_of_[index(channel)]; }
  [[nodiscard]] int first_of(int channel) const { return static_cast<int>(port_of(channel)) * vcs_; }
  static bool has(Set set, int number) { return (set >> static_cast<unsigned>(number) & 1U) != 0; }
  [[nodiscard]] std::uint8_t after(int number, int count) const {
    return static_cast<std::uint8_t>(number + 1 == count ? 0 : number + 1);
  }
  Flit& slot(int channel, int place) {
    const int in_ring = place >= capacity_ ? place - capacity_ : place;
    return flits_[index(channel * capacity_ + in_ring)];
  }

  /// Every free output channel is offered to one of the packets that ask for its port, every packet takes one offer.
  void allocate_channels() {
    for (std::size_t port = 0; port < kFlitPorts; ++port) {
      if (asking_[port] == 0 || free_[port] == 0) continue;
      const int first = static_cast<int>(port) * vcs_;
      Set offered = 0;
      for (Set left = free_[port]; left != 0;) {
        const int vc = take_lowest(left);
        const int to = first_from(asking_[port], outs_[index(first + vc)].grant);
        if (!has(offered, to)) offers_[index(to)] = 0;
        offered |= only<Set>(to);
        offers_[index(to)] |= only<Set>(vc);
      }
      while (offered != 0) accept(take_lowest(offered), port);
    }
  }

  void accept(int channel, std::size_t port) {
    In& in = ins_[index(channel)];
    const int first = static_cast<int>(port) * vcs_;
    const int turn = in.accept >= first && in.accept < first + vcs_ ? in.accept - first : 0;
    const int vc = first_from(offers_[index(channel)], turn);
    Out& out = outs_[index(first + vc)];
    in.out = static_cast<std::uint8_t>(first + vc);
    in.accept = after(first + vc, channels());
    out.owner = static_cast<std::uint8_t>(channel);
    out.grant = after(channel, channels());
    free_[port] &= ~only<Set>(vc);
    asking_[port] &= ~only<Set>(channel);
    if constexpr (kCopies) {
      if (has(copied_.channels, channel)) {
        copied_.of[index(channel)].out[port] = in.out;
        copied_.ready[port] |= only<Set>(channel);
        if (out.room > 0) copied_.credited[port] |= only<Set>(channel);
        all_asking_ = asking_[0] | asking_[1] | asking_[2] | asking_[3] | asking_[4];
        return;
      }
    }
    all_asking_ &= ~only<Set>(channel);
    routed_[port] |= only<Set>(channel);
    ready_ |= only<Set>(channel);
    if (out.room > 0) credited_ |= only<Set>(channel);
  }

  /// Every output port is offered to one input port, every input port takes one offer, for one of its channels.
  template <class Sink>
  void allocate_switch(const std::array<Set, kFlitPorts>& requests, Sink& sink) {
    std::array<std::uint64_t, kFlitPorts> offers{};
    for (std::size_t port = 0; port < kFlitPorts; ++port) {
      if (requests[port] == 0) continue;
      const int channel = first_from(requests[port], switch_grant_[port] * vcs_);
      offers[port_of(channel)] |= only<std::uint64_t>(static_cast<int>(port));
    }
    for (std::size_t from = 0; from < kFlitPorts; ++from) {
      if (offers[from] == 0) continue;
      const int to = first_from(offers[from], switch_accept_[from]);
      const int first = static_cast<int>(from) * vcs_;
      const Set asking = requests[index(to)] >> static_cast<unsigned>(first) & port_;
      const int vc = first_from(asking, channel_turn_[from]);
      switch_grant_[index(to)] = after(static_cast<int>(from), kFlitPorts);
      switch_accept_[from] = after(to, kFlitPorts);
      channel_turn_[from] = after(vc, vcs_);
      if constexpr (kCopies) {
        if (has(copied_.channels, first + vc)) {
          for (std::uint64_t ports = same_flit(first + vc, to, offers[from], requests); ports != 0;) {
            const int port = take_lowest(ports);
            switch_grant_[index(port)] = after(static_cast<int>(from), kFlitPorts);
            send_copy(first + vc, index(port), sink);
          }
          continue;
        }
      }
      send(first + vc, sink);
    }
  }

  /// Of the outputs that an input port is offered: those by which the flit leaves that the first packet of its
  /// `channel` sends to `chosen`.
  [[nodiscard]] std::uint64_t same_flit(int channel, int chosen, std::uint64_t offers,
                                        const std::array<Set, kFlitPorts>& requests) const {
    const auto& ahead = copied_.of[index(channel)].ahead;
    std::uint64_t ports = 0;
    while (offers != 0) {
      const int port = take_lowest(offers);
      const bool same = has(requests[index(port)], channel) && ahead[index(port)] == ahead[index(chosen)];
      if (same) ports |= only<std::uint64_t>(port);
    }
    return ports;
  }

  template <class Sink>
  void send_copy(int channel, std::size_t port, Sink& sink) {
    In& in = ins_[index(channel)];
    Copies& copies = copied_.of[index(channel)];
    const Flit flit = slot(channel, in.front + copies.ahead[port]);
    if (--outs_[copies.out[port]].room == 0 || flit.tail) copied_.credited[port] &= ~only<Set>(channel);
    ++copies.ahead[port];
    if (flit.tail) {
      free_[port] |= only<Set>(copies.out[port] - first_of(copies.out[port]));
      copies.left &= static_cast<std::uint8_t>(~(1U << port));
    }
    if (flit.tail || copies.ahead[port] == in.count) copied_.ready[port] &= ~only<Set>(channel);
    sink.sent(copies.out[port], flit);
    // The first place is free when no copy is there any more.
    for (std::uint64_t left = copies.left; left != 0;) {
      if (copies.ahead[index(take_lowest(left))] == 0) return;
    }
    for (std::uint16_t& ahead : copies.ahead) --ahead;
    take_out(in);
    if (copies.left == 0) copied_.channels &= ~only<Set>(channel);
    sink.freed(channel, copies.left == 0 && in.count > 0);
  }

  /// A flit has come for the packet for several that is first of the channel, or behind that.
  void more_to_copy(int channel) {
    const Copies& copies = copied_.of[index(channel)];
    for (std::uint64_t left = copies.left; left != 0;) {
      const int port = take_lowest(left);
      const bool waited = copies.ahead[index(port)] + 1 == ins_[index(channel)].count;
      if (waited && !has(asking_[index(port)], channel)) copied_.ready[index(port)] |= only<Set>(channel);
    }
  }

  void take_out(In& in) const {
    in.front = static_cast<std::uint16_t>(in.front + 1 == capacity_ ? 0 : in.front + 1);
    --in.count;
  }

  template <class Sink>
  void send(int channel, Sink& sink) {
    In& in = ins_[index(channel)];
    Out& out = outs_[in.out];
    const Flit flit = slot(channel, in.front);
    take_out(in);
    if (--out.room == 0) credited_ &= ~only<Set>(channel);
    const int to = in.out;
    bool next = false;
    if (flit.tail) {
      const std::size_t port = port_of(to);
      free_[port] |= only<Set>(to - first_of(to));
      routed_[port] &= ~only<Set>(channel);
      credited_ &= ~only<Set>(channel);
      next = in.count > 0;
    }
    if (flit.tail || in.count == 0) ready_ &= ~only<Set>(channel);
    sink.sent(to, flit);
    sink.freed(channel, next);
  }

  int vcs_;
  std::uint16_t capacity_;
  Set port_;          // the virtual channels of a port
  Set ready_ = 0;     // input channels with an output channel and a flit
  Set credited_ = 0;  // input channels whose output channel has room
  Set all_asking_ = 0;
  std::array<Set, kFlitPorts> asking_{};  // input channels, by the output port on which they ask for a channel
  std::array<Set, kFlitPorts> routed_{};  // input channels, by the output port on which they have a channel
  std::array<Set, kFlitPorts> free_{};    // virtual channels of an output port that no packet holds
  std::array<std::uint8_t, kFlitPorts> switch_grant_{};   // by output port: the input port whose turn it is
  std::array<std::uint8_t, kFlitPorts> switch_accept_{};  // by input port: the output port whose turn it is
  std::array<std::uint8_t, kFlitPorts> channel_turn_{};   // by input port: the virtual channel whose turn it is
  std::array<In, kMostChannels> ins_;
  std::array<Out, kMostChannels> outs_;
  std::array<std::uint8_t, kMostChannels> port_of_{};
  std::array<Set, kMostChannels> offers_{};  // scratch: output virtual channels offered to an input channel
  [[no_unique_address]] std::conditional_t<kCopies, AllCopies, NoCopies> copied_;
  std::vector<Flit> flits_;  // rings of the input channels
};

}  // namespace kernbench
