// The system calls that change what is on the disk, one function each. All that a run leaves behind goes through them,
// so that a test can end or fail the program at every single step (ADR-0010, 10.10).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "benches/io/files/file_descriptor.hpp"

namespace kernbench::disk {

/// Every function below throws where the operating system refuses: "cannot write out/results.json: No space left on
/// device". ConfigError (exit code 2) where the place is wrong: no such folder, no permission, a name that is too long;
/// std::runtime_error (exit code 1) where the place is good and the disk fails: full, over quota, an input/output
/// error.
[[nodiscard]] bool is_wrong_place(int error);
[[noreturn]] void refuse(const std::string& what, int error);

/// The folder and those on the way to it, each known to its parent when this returns.
void make_folders(const std::filesystem::path& folder);
/// Opens for writing with further flags of open(2), and O_CREAT.
[[nodiscard]] FileDescriptor open_to_write(const std::filesystem::path& file, int flags);
/// All of the bytes. `file` is for messages.
void write(int fd, std::string_view bytes, const std::filesystem::path& file);
/// The bytes written through `fd` are on the disk when this returns.
void sync(int fd, const std::filesystem::path& file);
/// The names in a folder are on the disk when this returns.
void sync_folder(const std::filesystem::path& folder);
void truncate(int fd, const std::filesystem::path& file);
void rename(const std::filesystem::path& from, const std::filesystem::path& to);
/// The two names change places at one instant; false where the file system cannot do that.
[[nodiscard]] bool exchange(const std::filesystem::path& a, const std::filesystem::path& b);
/// A second name of a file (of a link itself, not of what it leads to); false where that cannot be given.
[[nodiscard]] bool link(const std::filesystem::path& from, const std::filesystem::path& to);
/// A file or an empty folder; one that is not there is no error.
void remove(const std::filesystem::path& path);

/// Asked before each step, with the name of its function: an errno that it shall fail with, or 0. A write is two steps,
/// half of the bytes each. For tests; nullptr: nobody watches.
using Watch = int (*)(const char* step, const std::filesystem::path& path);
void set_watch(Watch watch);

}  // namespace kernbench::disk
