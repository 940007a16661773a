// How large a schedule will be, from its request alone: known before it is made (adr/0018, 18.12).
#pragma once

#include <algorithm>
#include <cstdint>

namespace kernbench {

/// At most how much there is of what a schedule is made of. Real numbers: estimates neither overflow nor need the last
/// digit.
struct ScheduleSize {
  double messages = 0;  ///< steps of all ranks where no message is cut into chunks
  double elements = 0;  ///< sum over these steps
  double channels = 0;  ///< different (sender, receiver, channel)

  /// Steps where no message has more than `chunk` elements; 0: none is cut.
  [[nodiscard]] double steps(std::int64_t chunk) const {
    return chunk > 0 ? messages + elements / static_cast<double>(chunk) : messages;
  }

  ScheduleSize& operator+=(const ScheduleSize& other) {
    messages += other.messages;
    elements += other.elements;
    channels += other.channels;
    return *this;
  }
};

}  // namespace kernbench
