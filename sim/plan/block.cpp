#include "sim/plan/block.hpp"

#include <algorithm>

namespace kernbench {

PacketCursor::PacketCursor(const Block& block, Bytes burst, std::int64_t max_bursts, const Interleaving& interleaving)
    : block_(block), burst_(burst), max_bursts_(max_bursts), interleaving_(interleaving) {
  if (block.stride == block.row_bytes) block_ = {block.address, 1, block.bytes(), block.bytes()};
}

bool PacketCursor::next_run() {
  while (row_ < block_.rows) {
    const Address start = block_.address + row_ * block_.stride;
    ++row_;
    at_ = start / burst_;
    end_ = ceil_div(start + block_.row_bytes, burst_);
    if (at_ == last_moved_) ++at_;
    if (at_ < end_) return true;
  }
  return false;
}

bool PacketCursor::next(Packet& packet) {
  if (at_ == end_ && !next_run()) return false;
  packet = {at_, interleaving_.on_end(at_, std::min(end_ - at_, max_bursts_))};
  at_ += packet.bursts;
  last_moved_ = at_ - 1;
  return true;
}

}  // namespace kernbench
