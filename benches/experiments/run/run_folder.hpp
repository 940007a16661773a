// A bench's output folder while a run writes to it: from before rows of an interrupted run are read until results,
// figures and page are on the disk, nobody else does (ADR-0010).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "benches/experiments/run/partial_rows.hpp"
#include "benches/io/files/file_set.hpp"
#include "benches/io/files/folder_lock.hpp"

namespace kernbench {

class RunFolder {
 public:
  /// Makes and locks the folder, and clears up after a run that was killed. Throws ConfigError where another run holds
  /// it, as disk::refuse does.
  explicit RunFolder(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return lock_.path(); }

  /// Rows of an interrupted run, and the place for those to come; see PartialRows.
  PartialRows& open_partial_rows(const Json& header, const std::function<bool(const Json& point)>& wanted);

  /// Puts the files of a run in place of all files of the one before (written_outputs_in), figures and page included.
  /// Returns their paths.
  std::vector<std::filesystem::path> replace_outputs(const std::vector<NewFile>& files);

  /// The rows of these points are in files that are on the disk: they need not be kept apart any more.
  void discard_partial_rows(const std::vector<Json>& points);

 private:
  FolderLock lock_;
  std::optional<PartialRows> partial_;
};

}  // namespace kernbench
