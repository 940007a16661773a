// One direction of a TCM's port on the network side: a link without latency that everybody passes in order of arrival.
#pragma once

#include <string>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/hw/link/link.hpp"
#include "sim/hw/link/sharing.hpp"

namespace kernbench {

/// Users announce their packets ahead of time, and the port takes them in the order of announcement. That is hardware
/// only while it is the order of arrival too: a packet booked behind one that comes later would leave a hole that
/// nobody could use (4.19).
class TcmLink {
 public:
  TcmLink(std::string name, Bandwidth bandwidth) : link_(std::move(name), bandwidth, {}) {}

  /// `contention`, if any, is told what the packet waits for those of other users.
  Flight carry(Flight in, Bytes bytes, std::int32_t user = 0, Picoseconds* contention = nullptr) {
    KB_CHECK(in.head >= last_, link_.name() + ": a packet is announced behind one that arrives later");
    last_ = in.head;
    const Flight out = link_.carry(in, bytes);
    if (contention != nullptr) *contention += sharing_.wait(user, in.head, out.head);
    sharing_.served(user, out.tail);
    return out;
  }

  void follow(Repetition& repetition) { link_.follow(repetition); }

  /// Of all packets so far.
  [[nodiscard]] Bytes bytes() const { return link_.bytes(); }

 private:
  Link link_;
  Sharing sharing_;
  Picoseconds last_{};
};

}  // namespace kernbench
