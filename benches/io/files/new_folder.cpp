// Link, change, sync, exchange, remove.
#include "benches/io/files/new_folder.hpp"

#include <fcntl.h>

#include <array>
#include <string>
#include <system_error>
#include <vector>

#include "benches/io/files/disk.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNewSuffix = ".kernbench-new";
constexpr const char* kAsideSuffix = ".kernbench-old";

fs::path beside(const fs::path& place, const char* suffix) {
  return place.parent_path() / ("." + place.filename().string() + suffix);
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// Children before their folders; links are not followed.
void remove_tree(const fs::path& root) {
  if (!is_there(root)) return;
  if (fs::is_directory(fs::symlink_status(root))) {
    std::vector<fs::path> entries;
    for (const auto& entry : fs::directory_iterator(root)) entries.push_back(entry.path());
    for (const fs::path& entry : entries) remove_tree(entry);
  }
  disk::remove(root);
}

void copy_bytes(const fs::path& from, const fs::path& to) {
  const FileDescriptor source(::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (source.get() < 0) disk::refuse("cannot read " + from.string(), errno);
  const FileDescriptor target = disk::open_to_write(to, O_EXCL | O_NOFOLLOW);
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(source.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) disk::refuse("cannot read " + from.string(), errno);
    if (count == 0) break;
    disk::write(target.get(), {buffer.data(), static_cast<std::size_t>(count)}, to);
  }
  disk::sync(target.get(), to);
}

/// The same files under other names, in folders of their own.
void link_tree(const fs::path& from, const fs::path& to) {
  disk::make_folders(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    const fs::path name = to / entry.path().filename();
    if (fs::is_directory(entry.symlink_status())) {
      link_tree(entry.path(), name);
    } else if (!disk::link(entry.path(), name)) {
      copy_bytes(entry.path(), name);
    }
  }
}

void sync_tree(const fs::path& root) {
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::is_directory(entry.symlink_status())) sync_tree(entry.path());
  }
  disk::sync_folder(root);
}

/// What a killed program left of replacing the folder `place`.
void finish(const fs::path& place) {
  const fs::path aside = beside(place, kAsideSuffix);
  if (is_there(aside) && !is_there(place)) disk::rename(aside, place);
  remove_tree(beside(place, kNewSuffix));
  remove_tree(aside);
}

}  // namespace

NewFolder::NewFolder(const FolderLock& parent, const fs::path& name)
    : place_(parent.path() / name), new_(beside(place_, kNewSuffix)), aside_(beside(place_, kAsideSuffix)) {
  finish(place_);
  try {
    if (is_there(place_)) {
      link_tree(place_, new_);
    } else {
      disk::make_folders(new_);
    }
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(new_, ignored);
    throw;
  }
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  fs::remove_all(new_, ignored);
}

void NewFolder::remove(const fs::path& name) { remove_tree(new_ / name); }

void NewFolder::write(const fs::path& name, std::string_view bytes) {
  const fs::path file = new_ / name;
  remove_tree(file);  // a second name of the old file: not to be written into
  disk::make_folders(file.parent_path());
  const FileDescriptor opened = disk::open_to_write(file, O_EXCL | O_NOFOLLOW);
  disk::write(opened.get(), bytes, place_ / name);
  disk::sync(opened.get(), place_ / name);
}

void NewFolder::copy(const fs::path& from, const fs::path& name) {
  disk::make_folders((new_ / name).parent_path());
  copy_bytes(from, new_ / name);
}

void NewFolder::take_place() {
  sync_tree(new_);
  if (!is_there(place_)) {
    disk::rename(new_, place_);
  } else if (!disk::exchange(new_, place_)) {
    disk::rename(place_, aside_);
    try {
      disk::rename(new_, place_);
    } catch (...) {
      disk::rename(aside_, place_);
      throw;
    }
  }
  disk::sync_folder(place_.parent_path());
  remove_tree(new_);
  remove_tree(aside_);
}

void finish_new_folders(const FolderLock& parent, const fs::path& below) {
  std::error_code error;
  std::vector<fs::path> places;
  for (fs::directory_iterator entry(parent.path() / below, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    for (const std::string suffix : {kNewSuffix, kAsideSuffix}) {
      if (name.starts_with('.') && name.ends_with(suffix) && name.size() > 1 + suffix.size()) {
        places.push_back(entry->path().parent_path() / name.substr(1, name.size() - 1 - suffix.size()));
      }
    }
  }
  for (const fs::path& place : places) finish(place);
}

}  // namespace kernbench
