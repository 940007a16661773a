// Stage, say what will be done, do it, forget.
#include "benches/io/files/file_set.hpp"

#include <fcntl.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include "benches/io/files/disk.hpp"
#include "benches/io/files/temporary.hpp"
#include "benches/io/files/write_file.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = ".kernbench-replacing";
constexpr std::string_view kListHead = "kernbench.replacing/1";
constexpr const char* kStagedSuffix = ".kernbench-new";

/// What a replacement does, names relative to the folder.
struct Replacement {
  std::vector<fs::path> remove;
  std::vector<fs::path> put;
};

fs::path staged_name(const fs::path& target) {
  return target.parent_path() / ("." + target.filename().string() + kStagedSuffix);
}

std::string format_list(const Replacement& replacement) {
  std::string text(kListHead);
  text += "\n";
  for (const fs::path& name : replacement.remove) text += "remove " + name.string() + "\n";
  for (const fs::path& name : replacement.put) text += "put " + name.string() + "\n";
  return text;
}

bool is_inside(const fs::path& name) {
  return name.is_relative() && !name.empty() && std::ranges::find(name, "..") == name.end();
}

/// What a list says, which only whole lists of ours do.
Replacement parse_list(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  Replacement replacement;
  if (!std::getline(lines, line) || line != kListHead) return replacement;
  while (std::getline(lines, line)) {
    const std::size_t space = line.find(' ');
    const fs::path name = space == std::string::npos ? "" : line.substr(space + 1);
    if (is_inside(name)) (line.starts_with("put ") ? replacement.put : replacement.remove).push_back(name);
  }
  return replacement;
}

void sync_folders_of(const fs::path& folder, const std::vector<fs::path>& names) {
  std::set<fs::path> folders{folder};
  for (const fs::path& name : names) folders.insert((folder / name).parent_path());
  for (const fs::path& each : folders) {
    if (fs::exists(each)) disk::sync_folder(each);
  }
}

void stage(const fs::path& target, const std::string& bytes) {
  disk::make_folders(target.parent_path());
  const FileDescriptor file = disk::open_to_write(staged_name(target), O_TRUNC | O_NOFOLLOW);
  disk::write(file.get(), bytes, target);
  disk::sync(file.get(), target);
}

/// Does what is left of a replacement; again and again if need be.
void carry_out(const fs::path& folder, const Replacement& replacement) {
  std::vector<fs::path> waiting;
  for (const fs::path& name : replacement.put) {
    if (fs::exists(fs::symlink_status(staged_name(folder / name)))) waiting.push_back(name);
  }
  // Some new ones are in place: then all old ones are gone, and what has an old one's name may be a new one.
  if (waiting.size() == replacement.put.size()) {
    for (const fs::path& name : replacement.remove) disk::remove(folder / name);
    sync_folders_of(folder, replacement.remove);
  }
  for (const fs::path& name : waiting) disk::rename(staged_name(folder / name), folder / name);
  sync_folders_of(folder, replacement.put);
  disk::remove(folder / kList);
}

void remove_staged(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool staged = name.starts_with('.') && name.ends_with(kStagedSuffix);
    if (staged && fs::is_regular_file(entry->symlink_status(error))) found.push_back(entry->path());
  }
  for (const fs::path& path : found) disk::remove(path);
}

/// Before anything is changed: rename() and remove() would fail half way.
void refuse_folder(const fs::path& path) {
  if (fs::is_directory(fs::symlink_status(path))) {
    throw ConfigError(path.string() + ": expected a file, or none, got a folder; move it away, or take another --out");
  }
}

}  // namespace

void replace_files(const FolderLock& folder, const std::vector<NewFile>& files, const std::vector<fs::path>& old) {
  Replacement replacement;
  for (const fs::path& name : old) {
    refuse_folder(folder.path() / name);
    if (fs::exists(fs::symlink_status(folder.path() / name))) replacement.remove.push_back(name);
  }
  for (const NewFile& file : files) refuse_folder(folder.path() / file.name);
  try {
    for (const NewFile& file : files) {
      stage(folder.path() / file.name, file.bytes);
      replacement.put.push_back(file.name);
    }
    sync_folders_of(folder.path(), replacement.put);
    write_file(folder.path() / kList, format_list(replacement));
  } catch (...) {
    std::error_code ignored;
    fs::remove(folder.path() / kList, ignored);  // first: without what was staged it would not be followed to its end
    for (const NewFile& file : files) fs::remove(staged_name(folder.path() / file.name), ignored);
    throw;
  }
  carry_out(folder.path(), replacement);
}

void finish_replacement(const FolderLock& folder) {
  const fs::path list = folder.path() / kList;
  if (fs::exists(list)) carry_out(folder.path(), parse_list(read_file(list)));
  remove_staged(folder.path());
}

}  // namespace kernbench
