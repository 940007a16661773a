// Reads a file of Perfetto's packets, one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "benches/traces/events/byte_source.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::traces {

/// Cuts a file into packets.
class PacketReader {
 public:
  explicit PacketReader(ByteSource& source) : source_(source) {}

  /// False at the end of the file.
  bool next(std::string_view& packet) {
    if (!has(1)) return false;
    if (buffer_[used_] != '\n') refuse("no packet of a trace");  // field 1, length-delimited
    ++used_;
    std::uint64_t size = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (shift > 56) refuse("no length of a packet");
      require(1);
      const auto byte = static_cast<unsigned char>(buffer_[used_++]);
      size |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) break;
    }
    if (size > kMostPacket) refuse("a packet of more than 256 MiB");
    require(size);
    packet = {buffer_.data() + used_, size};
    used_ += size;
    return true;
  }

  [[nodiscard]] std::uint64_t byte() const { return first_ + used_; }
  [[noreturn]] void refuse(const std::string& what) const {
    throw ConfigError(source_.name() + ": " + what + " at byte " + std::to_string(byte()) +
                      ": expected a trace, JSON or Perfetto's packets");
  }

 private:
  static constexpr std::size_t kMostPacket = std::size_t{256} << 20U;  // bytes
  static constexpr std::size_t kReadBytes = std::size_t{1} << 20U;

  [[nodiscard]] bool has(std::size_t wanted) {
    if (buffer_.size() - used_ >= wanted) return true;
    buffer_.erase(0, used_);
    first_ += used_;
    used_ = 0;
    while (buffer_.size() < wanted) {
      const std::size_t before = buffer_.size();
      buffer_.resize(before + std::max(kReadBytes, wanted - before));
      const std::size_t got = source_.read(buffer_.data() + before, buffer_.size() - before);
      buffer_.resize(before + got);
      if (got == 0) return false;
    }
    return true;
  }

  void require(std::size_t wanted) {
    if (!has(wanted)) refuse("truncated: the file ends inside of a packet");
  }

  ByteSource& source_;
  std::string buffer_;
  std::size_t used_ = 0;
  std::uint64_t first_ = 0;
};

}  // namespace kernbench::traces
