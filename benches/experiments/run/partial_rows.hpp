// Rows of a run that is not complete yet, kept on disk as they arrive, so that an interrupted run resumes (ADR-0010).
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benches/io/files/folder_lock.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// The file `partial.jsonl` in a bench's output folder: a header line that says what the rows depend on, then a row a
/// line.
class PartialRows {
 public:
  /// Takes over the good rows of an earlier run with the same header whose points are `wanted`. Failed ones are
  /// dropped, as they are tried again, and so is what cannot be read. Throws as disk::refuse does, ConfigError where
  /// what is there is a link or nothing that a run wrote.
  PartialRows(const FolderLock& folder, const Json& header, const std::function<bool(const Json& point)>& wanted);

  /// The row of an earlier run for this point; nullptr: not run yet.
  [[nodiscard]] const Row* find(const Json& point) const;
  /// Whether rows of an earlier run were there but depend on something else (an other machine, say).
  [[nodiscard]] bool superseded() const { return superseded_; }
  /// Lines that are no rows, but for the half one that a run leaves which is killed while writing it.
  [[nodiscard]] std::size_t unreadable() const { return unreadable_; }

  /// Appends a row. It outlives this process when this returns, and the machine's power a second later.
  void append(const Row& row);
  /// Rows of these points are no longer needed. The file goes, unless it has rows of other points.
  void discard(const std::vector<Json>& points);

 private:
  void read(const Json& header, const std::function<bool(const Json& point)>& wanted);

  std::filesystem::path path_;
  std::map<std::string, Row> rows_;  ///< by the point's JSON text
  bool superseded_ = false;
  std::size_t unreadable_ = 0;
  FileDescriptor file_;
  std::chrono::steady_clock::time_point synced_;
};

}  // namespace kernbench
