// Taking measured and published files into the reference data: everything is read and checked before anything is
// written (adr/0022).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/io/files/folder_lock.hpp"
#include "benches/measured/reference/device.hpp"
#include "benches/measured/reference/merge.hpp"
#include "benches/measured/reference/published_csv.hpp"
#include "benches/measured/reference/store.hpp"

namespace kernbench {

struct ImportRequest {
  std::vector<std::filesystem::path> files;       ///< results and cards (JSON); tables (CSV) where `published` is given
  std::optional<std::filesystem::path> device;    ///< a card that comes with them
  std::filesystem::path into = kReferenceFolder;  ///< the reference folder
  bool replace = false;
  std::optional<PublishedTable> published;
  std::string today;  ///< UTC time that imported tables carry
};

struct CopiedFolder {
  std::filesystem::path from;
  std::filesystem::path to;
  std::vector<std::filesystem::path> files;  ///< names in it
};

/// A file of the reference folder as it will be.
struct ImportTarget {
  std::filesystem::path file;
  Merged merged;
  std::vector<CopiedFolder> folders;  ///< of traces that its rows name
};

struct ImportedCard {
  Device device;
  std::filesystem::path file;  ///< where it is written
};

struct ImportPlan {
  std::vector<ImportTarget> targets;
  std::vector<ImportedCard> cards;    ///< new, or others than those there
  std::vector<std::string> notes;     ///< what was left out, a line each
  std::vector<std::string> findings;  ///< what is wrong, a line each: then nothing may be written
};

/// Reads and checks everything; writes nothing. Throws ConfigError for wrong options of a published table.
[[nodiscard]] ImportPlan plan_import(const ImportRequest& request);

/// Nobody else takes something in while it lives: from before the plan is made.
[[nodiscard]] FolderLock lock_references(const std::filesystem::path& into);

/// Writes a plan without findings. Each device's folder, and each of published numbers, is the old one or the new one
/// wherever this ends. Throws as disk::refuse does.
void write_import(const ImportPlan& plan, const FolderLock& into);

}  // namespace kernbench
