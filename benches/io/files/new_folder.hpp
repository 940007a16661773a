// A folder as it will be: built whole beside the one that is there, and put in its place by one rename.
#pragma once

#include <filesystem>
#include <string_view>

#include "benches/io/files/folder_lock.hpp"

namespace kernbench {

class NewFolder {
 public:
  /// Begins as what is in `name` below the locked folder, by hard links; empty where there is nothing. Clears up after
  /// one that was killed. Throws as disk::refuse does, here and below.
  NewFolder(const FolderLock& parent, const std::filesystem::path& name);
  /// Takes away what has not taken its place.
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Takes a file or a whole folder out of it.
  void remove(const std::filesystem::path& name);
  void write(const std::filesystem::path& name, std::string_view bytes);
  void copy(const std::filesystem::path& from, const std::filesystem::path& name);

  /// On the disk, and in the old one's place; the old one is gone.
  void take_place();

 private:
  std::filesystem::path place_;
  std::filesystem::path new_;
  std::filesystem::path aside_;  ///< the old one for a moment, where a file system knows no exchange
};

/// Clears up below a folder after programs that were killed while replacing folders in it.
void finish_new_folders(const FolderLock& parent, const std::filesystem::path& below = {});

}  // namespace kernbench
