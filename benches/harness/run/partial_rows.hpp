// Rows of a run that is not complete yet, kept on disk as they arrive, so that an interrupted run resumes (ADR-0010).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "benches/harness/file_descriptor.hpp"
#include "benches/harness/results/results.hpp"

namespace kernbench {

/// The file `partial.jsonl` in a bench's output folder: a header line that says what the rows depend on, then a row a
/// line. While it lives it holds a lock on the folder: two runs into one folder would mix their rows.
class PartialRows {
 public:
  /// Reads the rows of an earlier run with the same header, unless `fresh`. Failed rows are dropped: they are tried
  /// again. Throws ConfigError where the folder cannot be written, or another run holds it.
  PartialRows(const std::filesystem::path& folder, const Json& header, bool fresh);

  /// The row of an earlier run for this point; nullptr: not run yet.
  [[nodiscard]] const Row* find(const Json& point) const;
  /// Whether rows of an earlier run were there but depend on something else (an other machine, say).
  [[nodiscard]] bool superseded() const { return superseded_; }

  /// Appends a row; it is on disk when this returns.
  void append(const Row& row);
  /// Removes the file: the run is complete.
  void discard();

 private:
  void read(const Json& header);

  FileDescriptor folder_lock_;
  std::filesystem::path path_;
  std::map<std::string, Row> rows_;  ///< by the point's JSON text
  bool superseded_ = false;
  FileDescriptor file_;
};

}  // namespace kernbench
