// Open, lock, look whether the name still is that of what was locked.
#include "benches/io/files/temporary.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

#include "benches/io/files/disk.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".kernbench-tmp";

/// False once somebody has renamed or removed what `fd` is.
bool has_name(int fd, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') && name.ends_with(kSuffix);
}

}  // namespace

fs::path temporary_name(const fs::path& target) {
  return target.parent_path() / ("." + target.filename().string() + kSuffix);
}

Temporary::Temporary(fs::path target) : target_(std::move(target)), path_(temporary_name(target_)) {
  do {
    file_ = disk::open_to_write(path_, O_NOFOLLOW);
    while (::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
  } while (!has_name(file_.get(), path_));
  try {
    disk::truncate(file_.get(), target_);
  } catch (...) {
    ::unlink(path_.c_str());
    throw;
  }
}

Temporary::~Temporary() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void Temporary::write(std::string_view bytes) { disk::write(file_.get(), bytes, target_); }

void Temporary::take_place() {
  disk::sync(file_.get(), target_);
  disk::rename(path_, target_);
  path_.clear();
  disk::sync_folder(target_.has_parent_path() ? target_.parent_path() : ".");
}

void remove_stale_temporaries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (is_temporary(entry->path())) found.push_back(entry->path());
  }
  for (const fs::path& path : found) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && has_name(file.get(), path)) {
      disk::remove(path);
    }
  }
}

}  // namespace kernbench
