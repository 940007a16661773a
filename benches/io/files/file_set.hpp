// Files that belong together are replaced together: at no moment do some of them come from one run and some from
// another, not even where the program is killed in between (ADR-0010, 10.9).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/io/files/folder_lock.hpp"

namespace kernbench {

/// A file of a set, not written yet.
struct NewFile {
  std::filesystem::path name;  ///< relative to the set's folder
  std::string bytes;
};

/// Takes the files `old` away and puts `files` in their place. All new bytes are on the disk before the first old file
/// goes; from then on a list in the folder says what is left to do, and finish_replacement() does it. Old files go
/// before new ones come. Throws as disk::refuse does: the old files are as they were, or the list is there.
void replace_files(const FolderLock& folder, const std::vector<NewFile>& files,
                   const std::vector<std::filesystem::path>& old);

/// Finishes a replacement that was begun and interrupted, and removes what one that never got that far left behind.
void finish_replacement(const FolderLock& folder);

}  // namespace kernbench
