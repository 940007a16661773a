#include "benches/experiments/run/run_folder.hpp"

#include <algorithm>

#include "benches/io/files/run_outputs.hpp"
#include "benches/io/files/temporary.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

/// Those that have lost their files: whoever reads the folder would take them for points.
void remove_empty_folders(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> folders{folder};
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (entry->is_directory(ignored)) folders.push_back(entry->path());
  }
  std::ranges::sort(folders, std::ranges::greater());  // what is inside first
  for (const fs::path& each : folders) {
    if (fs::is_empty(each, ignored) && !ignored) fs::remove(each, ignored);
  }
}

}  // namespace

RunFolder::RunFolder(const fs::path& path) : lock_(path, "another run", "wait for it, or choose another --out") {
  finish_replacement(lock_);
  remove_stale_temporaries(path);
  for (const char* name : kOutputFolders) remove_stale_temporaries(path / name);
}

PartialRows& RunFolder::open_partial_rows(const Json& header, const std::function<bool(const Json& point)>& wanted) {
  return partial_.emplace(lock_, header, wanted);
}

std::vector<fs::path> RunFolder::replace_outputs(const std::vector<NewFile>& files) {
  replace_files(lock_, files, written_outputs_in(path()));
  remove_empty_folders(path() / kTracesFolder);
  std::vector<fs::path> paths;
  paths.reserve(files.size());
  for (const NewFile& file : files) paths.push_back(path() / file.name);
  return paths;
}

void RunFolder::discard_partial_rows(const std::vector<Json>& points) {
  if (partial_) partial_->discard(points);
}

}  // namespace kernbench
