// The file beside its target that becomes it: `.results.json.kernbench-tmp` until it is whole.
#pragma once

#include <filesystem>
#include <string_view>

#include "benches/io/files/file_descriptor.hpp"

namespace kernbench {

/// Its name is the same for everybody who writes `target`, and a lock on it says that somebody does: a second writer
/// waits for the first, and what a killed one left behind is known by its lock, which is free.
class Temporary {
 public:
  /// Opens and locks it, empty. Throws as disk::refuse does.
  explicit Temporary(std::filesystem::path target);
  /// Removes the file, unless it has taken its place.
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void write(std::string_view bytes);
  /// On the disk, under the target's name.
  void take_place();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  FileDescriptor file_;
};

[[nodiscard]] std::filesystem::path temporary_name(const std::filesystem::path& target);

/// Removes the temporaries in a folder that nobody writes any more.
void remove_stale_temporaries(const std::filesystem::path& folder);

}  // namespace kernbench
