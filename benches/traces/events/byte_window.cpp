#include "benches/traces/events/byte_window.hpp"

#include <algorithm>
#include <cstring>

namespace kernbench::traces {

ByteWindow::ByteWindow(ByteSource& source, std::size_t size, std::size_t padding)
    : source_(source), padding_(padding), buffer_(size + padding) {}

bool ByteWindow::read_on(std::size_t keep) {
  std::memmove(buffer_.data(), buffer_.data() + keep, end_ - keep);
  end_ -= keep;
  first_ += keep;
  if (at_end_) return false;
  std::size_t room = buffer_.size() - padding_ - end_;
  if (room == 0) {
    if (end_ >= kLargestEvent) return false;
    buffer_.resize(2 * end_ + padding_);
    room = end_;
  }
  const std::size_t before = end_;
  while (room > 0) {
    const std::size_t got = source_.read(buffer_.data() + end_, room);
    if (got == 0) {
      at_end_ = true;
      break;
    }
    end_ += got;
    room -= got;
  }
  return end_ > before;
}

}  // namespace kernbench::traces
