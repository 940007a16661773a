// One direction of a TCM's port on the network side: a link without latency that everybody passes in order of arrival.
#pragma once

#include <string>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/hw/link/link.hpp"

namespace kernbench {

/// Users announce their packets ahead of time, and the port takes them in the order of announcement. That is hardware
/// only while it is the order of arrival too: a packet booked behind one that comes later would leave a hole that
/// nobody could use (4.19).
class TcmLink {
 public:
  TcmLink(std::string name, Bandwidth bandwidth) : link_(std::move(name), bandwidth, {}) {}

  Flight carry(Flight in, Bytes bytes) {
    KB_CHECK(in.head >= last_, link_.name() + ": a packet is announced behind one that arrives later");
    last_ = in.head;
    return link_.carry(in, bytes);
  }

 private:
  Link link_;
  Picoseconds last_{};
};

}  // namespace kernbench
