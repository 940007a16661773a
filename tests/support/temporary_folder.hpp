// A folder of a test's own, gone with the test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

class TemporaryFolder {
 public:
  TemporaryFolder() : TemporaryFolder(std::filesystem::temp_directory_path()) {}
  explicit TemporaryFolder(const std::filesystem::path& parent) {
    std::string name = (parent / "kernbench_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Where files live in memory if there is such a place: for tests that bring thousands of files to the disk.
  [[nodiscard]] static std::filesystem::path fast_parent() {
    const char* memory = "/dev/shm";
    return ::access(memory, W_OK | X_OK) == 0 ? memory : std::filesystem::temp_directory_path();
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
