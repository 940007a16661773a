// The part of a trace that is in memory: a window that moves over the file, and grows only where one event does not
// fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benches/traces/events/byte_source.hpp"

namespace kernbench::traces {

inline constexpr std::size_t kTraceWindow = std::size_t{512} << 10U;  ///< bytes
inline constexpr std::size_t kLargestEvent = std::size_t{4} << 20U;   ///< bytes

class ByteWindow {
 public:
  /// `size` in bytes. What is read keeps `padding` bytes behind it that may be read too, whatever they hold.
  ByteWindow(ByteSource& source, std::size_t size, std::size_t padding);

  [[nodiscard]] char* data() { return buffer_.data(); }
  [[nodiscard]] std::size_t end() const { return end_; }  ///< of what is read, an index of data()
  /// The file's byte, decompressed, at that index.
  [[nodiscard]] std::uint64_t byte_at(std::size_t index) const { return first_ + index; }
  [[nodiscard]] std::size_t index_of(std::uint64_t byte) const { return static_cast<std::size_t>(byte - first_); }
  [[nodiscard]] const std::string& name() const { return source_.name(); }

  /// Drops what is before `keep`, which becomes index 0, and reads on; a window that is full grows. False at the end of
  /// the file, or where the window would have to be larger than kLargestEvent. Throws as ByteSource::read.
  bool read_on(std::size_t keep);
  [[nodiscard]] bool at_end() const { return at_end_; }

 private:
  ByteSource& source_;
  std::size_t padding_;
  std::vector<char> buffer_;
  std::size_t end_ = 0;
  std::uint64_t first_ = 0;
  bool at_end_ = false;
};

}  // namespace kernbench::traces
