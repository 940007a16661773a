// Sorts what is larger than memory: records by track and time, in runs that wait on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "benches/io/files/file_descriptor.hpp"
#include "benches/traces/events/rank_trace.hpp"

namespace kernbench::traces {

/// In the order in which records of one instant stand.
enum class RecordKind : std::uint32_t { kSlice, kFlow, kInstant };

struct RecordHead {
  std::uint32_t track = 0;
  RecordKind kind = RecordKind::kSlice;
  TracePs start = 0;
  TracePs duration = 0;

  [[nodiscard]] TracePs end() const { return start + duration; }
};

struct SortedRecord {
  RecordHead head;
  std::string_view payload;  ///< until the next record
};

class SortedRecords {
 public:
  static constexpr std::size_t kMemory = std::size_t{16} << 20U;  ///< bytes

  /// Keeps about `memory` bytes, the rest in a file of `folder` that has no name. Throws SimulationError where the
  /// file cannot be made, written or read, here and below.
  explicit SortedRecords(std::filesystem::path folder, std::size_t memory = kMemory);

  void add(const RecordHead& head, std::string_view payload);
  /// No more will be added; what is in memory goes to the file, too.
  void finish();

  /// The next one by track, start, kind, the longest first, then as they were added; false after the last.
  [[nodiscard]] bool next(SortedRecord& record);

 private:
  struct Entry {
    RecordHead head;
    std::size_t offset = 0;
    std::uint32_t size = 0;
  };
  /// A part of the file, sorted, and what of it is in memory.
  struct Run {
    std::uint64_t at = 0;  ///< what is read next
    std::uint64_t end = 0;
    std::vector<char> buffer;
    std::size_t used = 0;
    std::size_t filled = 0;
    Entry front;  ///< offset: into buffer
  };

  void spill();
  void write(std::string_view bytes);
  void fill(Run& run, std::size_t wanted) const;
  [[nodiscard]] bool advance(Run& run) const;
  [[nodiscard]] bool is_later(std::size_t a, std::size_t b) const;
  void start_reading();

  std::filesystem::path folder_;
  std::size_t memory_;
  std::string payloads_;
  std::vector<Entry> entries_;
  FileDescriptor file_;
  std::uint64_t written_ = 0;
  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;  ///< of runs, the earliest on top
  bool is_reading_ = false;
};

}  // namespace kernbench::traces
