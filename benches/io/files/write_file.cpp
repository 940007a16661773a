// Temporary and rename, in the folder of the target: a rename does not cross file systems.
#include "benches/io/files/write_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "benches/io/files/disk.hpp"
#include "benches/io/files/temporary.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

/// A pipe, a terminal, a device, or an open file under a name like /dev/stdout: nothing that a rename may replace.
bool is_stream(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status) || fs::is_directory(status)) return false;
  if (!fs::is_regular_file(status)) return true;
  const fs::path parent = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  const fs::path link = fs::read_symlink(path, error);
  return parent.string().starts_with("/proc/") || link.string().starts_with("/proc/");
}

/// The file that a chain of links ends at, there or not.
fs::path followed(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path end = fs::weakly_canonical(path, error);
  return error || fs::is_symlink(end) ? path : end;
}

}  // namespace

void write_file(const fs::path& path, std::string_view bytes) {
  if (is_stream(path)) {
    const FileDescriptor stream = disk::open_to_write(path, 0);
    disk::write(stream.get(), bytes, path);
    return;
  }
  const fs::path target = followed(path);
  if (!target.has_filename()) throw ConfigError("cannot write " + path.string() + ": expected the name of a file");
  disk::make_folders(target.parent_path());
  Temporary file(target);
  file.write(bytes);
  file.take_place();
}

}  // namespace kernbench
