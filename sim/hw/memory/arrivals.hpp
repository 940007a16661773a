// Requests on their way to a memory, in the order in which it sees them.
#pragma once

#include <tuple>

#include "sim/base/ring_buffer.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/hw/memory/pseudo_channels.hpp"

namespace kernbench {

struct MemoryRequest {
  MemoryAccess access;
  Access kind = Access::kRead;
  Picoseconds arrival;
};

/// By arrival; at one instant reads before writes, then by the node of who asks, then in the order of issue (adr/0004,
/// 4.17). Arrivals may be announced in any order.
class Arrivals {
 public:
  void push(const MemoryRequest& request) { requests_.insert(request, comes_before); }

  [[nodiscard]] bool there(Picoseconds now) const { return !requests_.empty() && requests_.front().arrival <= now; }
  [[nodiscard]] const MemoryRequest& front() const { return requests_.front(); }
  MemoryRequest pop() { return requests_.pop_front(); }
  /// Of the first; kForever where nothing is on its way.
  [[nodiscard]] Picoseconds next() const { return requests_.empty() ? kForever : requests_.front().arrival; }

 private:
  static bool comes_before(const MemoryRequest& a, const MemoryRequest& b) {
    return std::tuple(a.arrival.value, a.kind, a.access.from) < std::tuple(b.arrival.value, b.kind, b.access.from);
  }

  RingBuffer<MemoryRequest> requests_;
};

}  // namespace kernbench
