// Step, call, complain.
#include "benches/io/files/disk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "sim/base/errors.hpp"

namespace kernbench::disk {
namespace {

namespace fs = std::filesystem;

Watch watching = nullptr;

/// Whether the step may be made; errno says why not.
bool allowed(const char* step, const fs::path& path) {
  const int error = watching == nullptr ? 0 : watching(step, path);
  if (error != 0) errno = error;
  return error == 0;
}

std::string writing(const fs::path& path) { return "cannot write " + path.string(); }

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

}  // namespace

void set_watch(Watch watch) { watching = watch; }

bool is_wrong_place(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return false;
    default:
      return true;
  }
}

void refuse(const std::string& what, int error) {
  const std::string message = what + ": " + std::generic_category().message(error);
  if (is_wrong_place(error)) throw ConfigError(message);
  throw std::runtime_error(message);
}

void make_folders(const fs::path& folder) {
  if (folder.empty()) return;
  struct stat there {};
  if (::stat(folder.c_str(), &there) == 0) {
    if (!S_ISDIR(there.st_mode)) refuse("cannot make the folder " + folder.string(), ENOTDIR);
    return;
  }
  if (errno == ENOENT && folder.has_parent_path() && folder.parent_path() != folder) make_folders(folder.parent_path());
  if (!allowed("make_folders", folder) || (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)) {
    refuse("cannot make the folder " + folder.string(), errno);
  }
  sync_folder(folder_of(folder));
}

FileDescriptor open_to_write(const fs::path& file, int flags) {
  if (!allowed("open", file)) refuse(writing(file), errno);
  FileDescriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666));
  if (opened.get() < 0) refuse(writing(file), errno);
  return opened;
}

void write(int fd, std::string_view bytes, const fs::path& file) {
  const std::size_t first = watching == nullptr ? bytes.size() : bytes.size() / 2;
  for (const std::string_view part : {bytes.substr(0, first), bytes.substr(first)}) {
    if (part.empty()) continue;
    if (!allowed("write", file) || !write_all(fd, part)) refuse(writing(file), errno);
  }
}

void sync(int fd, const fs::path& file) {
  if (!allowed("sync", file) || ::fsync(fd) != 0) refuse(writing(file), errno);
}

void sync_folder(const fs::path& folder) {
  if (!allowed("sync_folder", folder)) refuse(writing(folder), errno);
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder that may be written but not read, or a file system that cannot sync folders: nothing more can be done.
  if (opened.get() >= 0 && ::fsync(opened.get()) != 0 && errno != EINVAL && errno != EBADF && errno != EROFS) {
    refuse(writing(folder), errno);
  }
}

void truncate(int fd, const fs::path& file) {
  if (!allowed("truncate", file) || ::ftruncate(fd, 0) != 0) refuse(writing(file), errno);
}

void rename(const fs::path& from, const fs::path& to) {
  if (!allowed("rename", to) || ::rename(from.c_str(), to.c_str()) != 0) refuse(writing(to), errno);
}

bool exchange(const fs::path& a, const fs::path& b) {
  if (!allowed("exchange", b)) refuse(writing(b), errno);
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) return false;
  refuse(writing(b), errno);
}

bool link(const fs::path& from, const fs::path& to) {
  if (!allowed("link", to)) refuse(writing(to), errno);
  if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0) == 0) return true;
  if (errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP || errno == ENOSYS || errno == EXDEV) return false;
  refuse(writing(to), errno);
}

void remove(const fs::path& path) {
  if (!allowed("remove", path) || (::remove(path.c_str()) != 0 && errno != ENOENT)) {
    refuse("cannot remove " + path.string(), errno);
  }
}

}  // namespace kernbench::disk
