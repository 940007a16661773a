// A node's way into its router: one packet after the other, one flit a cycle, over the virtual channels in turn.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/hw/noc/bits.hpp"
#include "sim/hw/noc/flit_fabric.hpp"

namespace kernbench {

class FlitSource {
 public:
  FlitSource(int virtual_channels, int buffer_flits)
      : last_(virtual_channels - 1),
        vcs_(virtual_channels),
        with_room_((std::uint64_t{1} << static_cast<unsigned>(virtual_channels)) - 1),
        room_(static_cast<std::size_t>(virtual_channels), buffer_flits) {}

  FlitPacket packet;         ///< the one whose turn it is
  std::uint32_t number = 0;  ///< of that packet in the fabric
  int sent = 0;              ///< flits of it

  /// The virtual channel on which the next flit may leave now; -1: none.
  [[nodiscard]] int channel() const {
    if (sent > 0) return (with_room_ >> static_cast<unsigned>(last_) & 1U) != 0 ? last_ : -1;
    if (with_room_ == 0) return -1;
    return first_from(with_room_, last_ + 1 == vcs_ ? 0 : last_ + 1);
  }

  void send(int channel) {
    last_ = channel;
    ++sent;
    if (--room_[static_cast<std::size_t>(channel)] == 0) with_room_ &= ~only<std::uint64_t>(channel);
  }

  void credit(int channel) {
    ++room_[static_cast<std::size_t>(channel)];
    with_room_ |= only<std::uint64_t>(channel);
  }

 private:
  int last_;  // virtual channel of the last flit
  int vcs_;
  std::uint64_t with_room_;
  std::vector<int> room_;
};

}  // namespace kernbench
