#include "benches/harness/run/run_folder.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "benches/harness/files/temporary.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFigures = "figures";

/// What runs write, whatever the run: the folder `figures` is theirs.
std::vector<fs::path> outputs_in(const fs::path& folder) {
  std::vector<fs::path> names{"results.json", "results.csv", "theory.json", "theory.csv", "index.html"};
  std::error_code error;
  for (fs::directory_iterator entry(folder / kFigures, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto ends_so = [&name](const char* extension) { return name.ends_with(extension); };
    if (std::ranges::any_of(std::array{".svg", ".png", ".vl.json"}, ends_so))
      names.push_back(fs::path(kFigures) / name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

RunFolder::RunFolder(const fs::path& path) : lock_(path, "another run", "wait for it, or choose another --out") {
  finish_replacement(lock_);
  remove_stale_temporaries(path);
  remove_stale_temporaries(path / kFigures);
}

PartialRows& RunFolder::open_partial_rows(const Json& header, const std::function<bool(const Json& point)>& wanted) {
  return partial_.emplace(lock_, header, wanted);
}

std::vector<fs::path> RunFolder::replace_outputs(const std::vector<NewFile>& files) {
  replace_files(lock_, files, outputs_in(path()));
  std::vector<fs::path> paths;
  paths.reserve(files.size());
  for (const NewFile& file : files) paths.push_back(path() / file.name);
  return paths;
}

void RunFolder::discard_partial_rows(const std::vector<Json>& points) {
  if (partial_) partial_->discard(points);
}

}  // namespace kernbench
