// One program at a time writes to a folder.
#pragma once

#include <filesystem>
#include <string>

#include "benches/io/files/file_descriptor.hpp"

namespace kernbench {

/// Held while it lives. The folder is made where there is none.
class FolderLock {
 public:
  /// Throws ConfigError "WHO is writing to FOLDER: REMEDY" where somebody else holds it, and as disk::refuse does.
  FolderLock(std::filesystem::path folder, const std::string& who, const std::string& remedy);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  FileDescriptor folder_;
};

}  // namespace kernbench
