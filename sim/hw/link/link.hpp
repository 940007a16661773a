// A link: a first-in first-out server with a bandwidth and a latency, crossed by packets cut-through.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/engine/repetition.hpp"

namespace kernbench {

/// When the first and the last byte of a packet pass a point.
struct Flight {
  Picoseconds head;
  Picoseconds tail;
};

/// ADR-0004, clause 4.7.
class Link {
 public:
  Link(std::string name, Bandwidth bandwidth, Picoseconds latency)
      : name_(std::move(name)), bandwidth_(bandwidth), latency_(latency) {}

  /// Takes a packet in at its flight's times, after those before it; returns its flight at the far end.
  Flight carry(Flight in, Bytes bytes) {
    const Picoseconds duration = time_for(bytes);
    const Picoseconds start = std::max(in.head, free_at_);
    free_at_ = std::max(start + duration, in.tail);
    busy_ += duration;
    bytes_ += bytes;
    return {start + latency_, free_at_ + latency_};
  }

  /// What it counts may be counted on (adr/0047).
  void follow(Repetition& repetition) {
    repetition.count(busy_.value);
    repetition.count(bytes_);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Picoseconds latency() const { return latency_; }
  [[nodiscard]] Picoseconds busy() const { return busy_; }
  /// Of all packets so far.
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  Picoseconds time_for(Bytes bytes) {
    if (bytes != last_bytes_) {
      last_bytes_ = bytes;
      last_time_ = bandwidth_.time_for(bytes);
    }
    return last_time_;
  }

  std::string name_;
  Bandwidth bandwidth_;
  Picoseconds latency_;
  Picoseconds free_at_{};
  Picoseconds busy_{};
  Bytes bytes_ = 0;
  Bytes last_bytes_ = -1;  // packets are mostly of one size: the division is done once
  Picoseconds last_time_{};
};

/// The links that a packet crosses, in order.
class Path {
 public:
  Path() = default;
  explicit Path(std::vector<Link*> links) : links_(std::move(links)) {}
  void append(Link& link) { links_.push_back(&link); }

  [[nodiscard]] Flight carry(Flight flight, Bytes bytes) const {
    for (Link* link : links_) flight = link->carry(flight, bytes);
    return flight;
  }

 private:
  std::vector<Link*> links_;
};

}  // namespace kernbench
